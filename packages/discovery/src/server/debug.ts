import { queryValue, type Transport, type TransportResponse } from "@pilothouse/seams"
import type { Hub } from "../push/hub.ts"
import { configDump } from "./config-dump.ts"
import { cachez, edsz, endpointz, registryz, syncz } from "./debug-pages.ts"

export interface DebugPagesOptions {
  /** For /metrics, in Prometheus' format; without it there is no such page. */
  readonly metricsText?: () => string
}

/** Answers what the server knows and whom it told what, under upstream's names. A Transport, so that a test needs no port. */
export function debugPages(hub: Hub, { metricsText }: DebugPagesOptions = {}): Transport {
  const pages: Readonly<Record<string, (query: (name: string) => string | undefined) => unknown>> = {
    registryz: () => registryz(hub),
    endpointz: () => endpointz(hub),
    endpointShardz: () => endpointz(hub),
    edsz: (query) => edsz(hub, query("proxyID")),
    syncz: () => syncz(hub),
    config_dump: (query) => configDump(hub, query("proxyID") ?? ""),
    cachez: () => cachez(hub),
    changez: () => hub.traces.list(),
  }
  return async ({ verb, path, query }) => {
    // Upstream clears by GET as well; but what a crawler or a page that looks ahead may fetch must not change anything.
    if (path === "/debug/cachez" && queryValue(query, "clear") !== undefined)
      return verb === "POST" ? json(clear(hub)) : notAllowed(verb, "POST")
    if (verb !== "GET") return notAllowed(verb, "GET")
    const name = /^\/debug\/([A-Za-z_]+)$/.exec(path)?.[1]
    if (path === "/debug" || path === "/debug/list") return json(Object.keys(pages).map((page) => `/debug/${page}`))
    if (path === "/ready") return hub.ready ? text(200, "ok\n") : text(503, "the registry has not read everything yet\n")
    if (path === "/metrics" && metricsText !== undefined) return text(200, metricsText(), "text/plain; version=0.0.4; charset=utf-8")
    const page = name === undefined ? undefined : pages[name]
    if (page === undefined) return text(404, `there is no ${path}; /debug lists what there is\n`)
    const found = page((parameter) => queryValue(query, parameter))
    return found === undefined ? text(404, `no such client is connected; /debug/syncz lists them\n`) : json(found)
  }
}

function clear(hub: Hub): unknown {
  for (const cache of Object.values(hub.caches)) cache.clear()
  return cachez(hub)
}

function notAllowed(verb: string, instead: "GET" | "POST"): TransportResponse {
  const refused = text(405, `${verb} is not allowed here; use ${instead}\n`)
  return { ...refused, headers: { ...refused.headers, allow: instead } }
}

function json(value: unknown): TransportResponse {
  return text(200, `${JSON.stringify(value, undefined, 2)}\n`, "application/json")
}

function text(status: number, content: string, contentType = "text/plain; charset=utf-8"): TransportResponse {
  return {
    status,
    headers: { "content-type": contentType },
    body: { type: "bytes", bytes: new TextEncoder().encode(content), contentType },
  }
}
