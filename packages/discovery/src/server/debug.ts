import { queryValue, type Transport, type TransportResponse } from "@pilothouse/seams"
import type { Hub } from "../push/hub.ts"
import { configDump } from "./config-dump.ts"
import { cachez, edsz, endpointz, registryz, type StuckSource, stuckz, syncz } from "./debug-pages.ts"
import { jsonInTurns } from "./json-in-turns.ts"

/** What the debug pages show. */
export interface DebugPagesOptions {
  /** For /metrics, in Prometheus' format; without it there is no such page. */
  readonly metricsText?: () => string
  /** For /debug/stuckz: the registries of all clusters; without them there is no such page. */
  readonly sources?: readonly StuckSource[]
}

/** Answers what the server knows and whom it told what, under upstream's names. A Transport, so that a test needs no port. */
export function debugPages(hub: Hub, { metricsText, sources }: DebugPagesOptions = {}): Transport {
  const pages: Readonly<Record<string, (query: (name: string) => string | undefined) => unknown>> = {
    registryz: () => registryz(hub),
    endpointz: () => endpointz(hub),
    endpointShardz: () => endpointz(hub),
    edsz: (query) => edsz(hub, query("proxyID")),
    syncz: () => syncz(hub),
    config_dump: (query) => configDump(hub, query("proxyID") ?? ""),
    cachez: () => cachez(hub),
    changez: () => hub.traces.list(),
    ...(sources !== undefined && { stuckz: () => stuckz(sources) }),
  }
  return async ({ verb, path, query }) => {
    // Upstream clears by GET as well; but what a crawler or a prefetching page requests must not change anything.
    if (path === "/debug/cachez" && queryValue(query, "clear") !== undefined)
      return verb === "POST" ? await json(clear(hub)) : notAllowed(verb, "POST")
    if (verb !== "GET") return notAllowed(verb, "GET")
    const name = /^\/debug\/([A-Za-z_]+)$/.exec(path)?.[1]
    if (/^\/debug(\/|\/list)?$/.test(path)) return json(Object.keys(pages).map((page) => `/debug/${page}`))
    if (path === "/ready") return readiness(hub)
    if (path === "/metrics") return metricsPage(metricsText)
    if (path === "/debug/config_dump" && !queryValue(query, "proxyID")) return text(400, whichProxy(hub))
    // Only its own: "constructor" is no page.
    const found = name !== undefined && Object.hasOwn(pages, name) ? pages[name] : undefined
    if (found === undefined) return text(404, `there is no ${path}; /debug lists what there is\n`)
    const content = found((parameter) => queryValue(query, parameter))
    return content === undefined ? text(404, `no such client is connected. ${connected(hub)}`) : json(content)
  }
}

const metricsType = "text/plain; version=0.0.4; charset=utf-8"
const metricsElsewhere =
  'there are no metrics here. Under "pilothouse up" they are among those of the API server: kubectl get --raw /metrics, with its kubeconfig\n'

function readiness({ ready }: Hub): TransportResponse {
  return ready ? text(200, "ok\n") : text(503, "the registry has not read everything yet\n")
}

function metricsPage(metricsText: (() => string) | undefined): TransportResponse {
  return metricsText === undefined ? text(404, metricsElsewhere) : text(200, metricsText(), metricsType)
}

function whichProxy(hub: Hub): string {
  return `expected the id of a client, /debug/config_dump?proxyID=ID, found none. ${connected(hub)}`
}

/** More would not be read; /debug/syncz has them all. */
const maxNamed = 20

function connected(hub: Hub): string {
  const ids = [...new Set([...hub.sessions].map(({ client }) => client.id))]
  if (ids.length === 0) return "No client is connected now.\n"
  const rest = ids.length > maxNamed ? [`… and ${ids.length - maxNamed} more; /debug/syncz has them all`] : []
  return ["Connected are:", ...ids.slice(0, maxNamed), ...rest, ""].join("\n")
}

function clear(hub: Hub): unknown {
  for (const cache of Object.values(hub.caches)) cache.clear()
  return cachez(hub)
}

function notAllowed(verb: string, instead: "GET" | "POST"): TransportResponse {
  const refused = text(405, `${verb} is not allowed here; use ${instead}\n`)
  return { ...refused, headers: { ...refused.headers, allow: instead } }
}

/** Bytes of one page: it is all in memory before it is sent. */
const maxPage = 64 * 1024 * 1024
const tooLarge = `expected a page of at most ${maxPage} bytes, found more; ask for one client: /debug/edsz?proxyID=ID, /debug/config_dump?proxyID=ID\n`

async function json(value: unknown): Promise<TransportResponse> {
  const bytes = await jsonInTurns(value, maxPage)
  return bytes === undefined ? text(413, tooLarge) : page(200, bytes, "application/json")
}

function text(status: number, content: string, contentType = "text/plain; charset=utf-8"): TransportResponse {
  return page(status, new TextEncoder().encode(content), contentType)
}

function page(status: number, bytes: Uint8Array, contentType: string): TransportResponse {
  return { status, headers: { "content-type": contentType }, body: { type: "bytes", bytes, contentType } }
}
