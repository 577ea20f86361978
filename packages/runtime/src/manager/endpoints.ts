import { formatMicroTime } from "@pilothouse/api"
import { messageOf, type Query, queryValue, stringifyJson, type Transport, type TransportResponse } from "@pilothouse/seams"
import { type PlanLine, planLines } from "../controller/describe-plan.ts"
import { isKubeOperation, type ObjectRef, type Operation, type Plan, type PlannedEvent, type Result } from "../controller/plan/plan.ts"
import type { Trace, TraceEntry } from "../controller/trace.ts"
import type { Health, HealthCheck } from "./health.ts"

export interface EndpointsOptions {
  readonly health: Health
  readonly trace: Trace
  /** Names of the running controllers: one without trace entries may be idle, or not run at all. */
  readonly controllers?: readonly string[]
  /** Prometheus' text; without it /metrics is not found. */
  readonly metrics?: () => string
  /** Must hold no secrets. */
  readonly configuration: () => unknown
  /** Without it /flagz is not found. Must hold no secrets. */
  readonly flags?: () => Readonly<Record<string, unknown>>
  /** Shown in the trace: nothing was sent. */
  readonly dryRun?: boolean
}

/** The health, metrics and debug endpoints of a manager as a Transport, so that a test needs no port. serveEndpoints() serves it on one. */
export function endpoints({ health, trace, controllers, metrics, configuration, flags, dryRun }: EndpointsOptions): Transport {
  const paths = [
    "/healthz, /livez, /readyz",
    ...(metrics === undefined ? [] : ["/metrics"]),
    "/configz",
    ...(flags === undefined ? [] : ["/flagz"]),
  ].join(", ")
  const notFound = (path: string) => text(404, `${path} is not here; there are ${paths} and /debug/trace\n`)
  return async ({ verb, path, query }) => {
    if (verb !== "GET") return text(405, `${verb} is not allowed here; use GET\n`)
    const [, first = "", ...rest] = path.split("/")
    const sub = decoded(rest.join("/"))
    if (sub === undefined) return notFound(path)
    switch (first) {
      case "healthz":
      case "livez":
      case "readyz":
        return healthAnswer(first, checksOf(health, first), sub, query) ?? notFound(path)
      case "metrics":
        return metrics === undefined ? notFound(path) : text(200, metrics(), "text/plain; version=0.0.4; charset=utf-8")
      case "configz":
        return json(configuration())
      case "flagz":
        return flags === undefined ? notFound(path) : text(200, flagsText(flags()))
      case "debug":
        return sub === "trace" ? json({ controllers, ...traceAnswer(trace, query, dryRun) }) : notFound(path)
      default:
        return notFound(path)
    }
  }
}

/** Returns undefined for an invalid encoding: "%". */
function decoded(path: string): string | undefined {
  try {
    return decodeURIComponent(path)
  } catch {
    return undefined
  }
}

function checksOf(health: Health, name: string): readonly HealthCheck[] {
  return name === "readyz" ? health.ready() : health.live()
}

/** As kube-apiserver answers: "ok" when all checks pass, a line for each check with ?verbose or when one fails. Undefined: there is no such check. */
function healthAnswer(name: string, checks: readonly HealthCheck[], sub: string, query: Query): TransportResponse | undefined {
  const excluded = [query.exclude ?? []].flat()
  const asked = checks.filter((check) => (sub === "" ? !excluded.includes(check.name) : check.name === sub))
  if (sub !== "" && asked.length === 0) return undefined
  const ok = asked.every((check) => check.ok)
  if (ok && query.verbose === undefined) return text(200, "ok")
  const lines = asked.map(
    (check) =>
      `[${check.ok ? "+" : "-"}]${check.name} ${check.ok ? "ok" : "failed"}${check.reason === undefined ? "" : `: ${check.reason}`}`,
  )
  return text(ok ? 200 : 503, `${[...lines, `${name} check ${ok ? "passed" : "failed"}`].join("\n")}\n`)
}

/** Newest first. */
function traceAnswer(trace: Trace, query: Query, dryRun?: boolean): { readonly entries: readonly unknown[] } {
  const controller = queryValue(query, "controller")
  const key = queryValue(query, "key")
  const entries = trace
    .entries()
    .filter((entry) => (controller === undefined || entry.controller === controller) && (key === undefined || entry.key === key))
  return { entries: entries.toReversed().map((entry) => traceJson(entry, dryRun)) }
}

/** As upstream's page: for people, without a stable format. */
function flagsText(flags: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(flags).map(([name, value]) => `${name}=${Array.isArray(value) ? value.join(",") : value}`)
  const warning =
    "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only."
  return `\npilothouse flagz\n${warning}\n\n${lines.sort().join("\n")}\n`
}

function json(value: unknown): TransportResponse {
  return text(200, `${stringifyJson(value, 2)}\n`, "application/json")
}

function text(status: number, body: string, contentType = "text/plain; charset=utf-8"): TransportResponse {
  return { status, headers: { "content-type": contentType }, body: { type: "bytes", bytes: new TextEncoder().encode(body), contentType } }
}

/** A trace entry as JSON, for machines and for people; what Secrets hold is left out. Of a dry run nothing is said to be done. */
function traceJson({ at, nextAt, plan, settled, results, ...entry }: TraceEntry, dryRun = false): unknown {
  const lines = [plan, settled].flatMap((one) => (one === undefined ? [] : planLines(one, dryRun ? [] : results)))
  const shown = dryRun ? { dryRun: "nothing was sent" } : { results: results.map(resultJson) }
  const next = nextAt === undefined ? {} : { nextAt: formatMicroTime(nextAt) }
  return {
    at: formatMicroTime(at),
    ...entry,
    ...next,
    lines: withFailure(lines, entry.error),
    plan: planJson(plan),
    settled: planJson(settled),
    ...shown,
  }
}

/** A line of /debug/trace. Where a reconcile failed, one or more lines have `tellsFailure`: the error is part of their text. */
export type TraceLine = (PlanLine | { readonly kind: "failure"; readonly text: string }) & { readonly tellsFailure?: true }

/** An error that no line quotes, such as one that observe threw, is a line of its own. */
function withFailure(lines: readonly PlanLine[], error: string | undefined): readonly TraceLine[] {
  if (error === undefined) return lines
  // prose: both are of one reconcile, and it only decides whether the error is printed twice.
  const marked = lines.map((line): TraceLine => (line.text.includes(error) ? { ...line, tellsFailure: true } : line))
  return marked.some(({ tellsFailure }) => tellsFailure) ? marked : [...marked, { kind: "failure", text: error, tellsFailure: true }]
}

/** Field by field: a plan that was built has getters, which JSON does not see. */
function planJson(plan: Plan | undefined): unknown {
  if (plan === undefined) return undefined
  const { steps, events, requeue, waitingFor, summary, stuck } = plan
  const shown = steps.map((step) => ({ ...step, operations: step.operations.map(operationJson) }))
  return { summary, stuck, steps: shown, events: events.map(eventJson), requeue, waitingFor }
}

/** Controllers give the whole object that an event is about, and that may be a Secret. */
function eventJson({ about, related, ...event }: PlannedEvent): unknown {
  return { ...event, about: reference(about), related: related && reference(related) }
}

function reference({ apiVersion, kind, metadata: { namespace, name, uid } }: ObjectRef): unknown {
  return { apiVersion, kind, namespace, name, uid }
}

/** Results are in the order of the plan, which identifies the operation. */
function resultJson(result: Result): unknown {
  const name = result.ok === true ? result.object?.metadata.name : undefined
  return { do: result.operation.do, ok: result.ok, name, error: result.ok === false ? messageOf(result.error) : undefined }
}

function operationJson(operation: Operation): unknown {
  if (!isKubeOperation(operation) || operation.object.kind !== "Secret") return operation
  const { apiVersion, kind, metadata } = operation.object
  // Annotations too: kubectl keeps what was applied in one of them.
  const object = { apiVersion, kind, metadata: { name: metadata.name, namespace: metadata.namespace }, data: "(hidden)" }
  return { do: operation.do, reason: operation.reason, object }
}
