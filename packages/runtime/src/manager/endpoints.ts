import { type Query, queryValue, stringifyJson, type Transport, type TransportResponse } from "@pilothouse/seams"
import type { Trace } from "../controller/trace.ts"
import type { Health, HealthCheck } from "./health.ts"
import { traceJson } from "./trace-json.ts"

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
