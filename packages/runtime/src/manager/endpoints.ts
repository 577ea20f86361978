import { type Query, queryValue, type Transport, type TransportResponse } from "@pilothouse/seams"
import type { Trace } from "../controller/trace.ts"
import type { Health, HealthCheck } from "./health.ts"
import { traceJson } from "./trace-json.ts"

export interface EndpointsOptions {
  readonly health: Health
  readonly trace: Trace
  /** Prometheus' text; without it /metrics is not found. */
  readonly metrics?: () => string
  /** Must hold no secrets. */
  readonly configuration: () => unknown
}

/** Answers questions about a manager: as a Transport, so that a test needs no port. serveEndpoints() puts it on one. */
export function endpoints({ health, trace, metrics, configuration }: EndpointsOptions): Transport {
  return async ({ verb, path, query }) => {
    if (verb !== "GET") return text(405, `${verb} is not allowed here; use GET\n`)
    const [, first = "", ...rest] = path.split("/")
    const sub = rest.map(decodeURIComponent).join("/")
    switch (first) {
      case "healthz":
      case "livez":
        return healthAnswer(first, health.live(), sub, query)
      case "readyz":
        return healthAnswer(first, health.ready(), sub, query)
      case "metrics":
        return metrics === undefined ? notFound(path) : text(200, metrics(), "text/plain; version=0.0.4; charset=utf-8")
      case "configz":
        return json(configuration())
      case "debug":
        return sub === "trace" ? json(traceAnswer(trace, query)) : notFound(path)
      default:
        return notFound(path)
    }
  }
}

/** As kube-apiserver answers: "ok" when all is well, a line for each check when asked for them or when one fails. */
function healthAnswer(name: string, checks: readonly HealthCheck[], sub: string, query: Query): TransportResponse {
  const excluded = [query.exclude ?? []].flat()
  const asked = checks.filter((check) => (sub === "" ? !excluded.includes(check.name) : check.name === sub))
  if (sub !== "" && asked.length === 0) return notFound(`/${name}/${sub}`)
  const ok = asked.every((check) => check.ok)
  if (ok && query.verbose === undefined) return text(200, "ok")
  const lines = asked.map(
    (check) =>
      `[${check.ok ? "+" : "-"}]${check.name} ${check.ok ? "ok" : "failed"}${check.reason === undefined ? "" : `: ${check.reason}`}`,
  )
  return text(ok ? 200 : 503, `${[...lines, `${name} check ${ok ? "passed" : "failed"}`].join("\n")}\n`)
}

/** Newest first: who asks wants to know what happened just now. */
function traceAnswer(trace: Trace, query: Query): unknown {
  const controller = queryValue(query, "controller")
  const key = queryValue(query, "key")
  const entries = trace
    .entries()
    .filter((entry) => (controller === undefined || entry.controller === controller) && (key === undefined || entry.key === key))
  return { entries: entries.toReversed().map(traceJson) }
}

function notFound(path: string): TransportResponse {
  return text(404, `${path} is not here; there are /healthz, /livez, /readyz, /metrics, /configz and /debug/trace\n`)
}

function json(value: unknown): TransportResponse {
  return text(200, `${JSON.stringify(value, undefined, 2)}\n`, "application/json")
}

function text(status: number, body: string, contentType = "text/plain; charset=utf-8"): TransportResponse {
  return { status, headers: { "content-type": contentType }, body: { type: "bytes", bytes: new TextEncoder().encode(body), contentType } }
}
