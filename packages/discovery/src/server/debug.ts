import type { StuckTask } from "@pilothouse/runtime"
import { queryValue, type Transport, type TransportResponse } from "@pilothouse/seams"
import type { Hub } from "../push/hub.ts"
import type { Session } from "../session/session.ts"
import { type Decoded, messageOf } from "../wire/messages.ts"
import { type Kind, kinds, shortNames, typeUrls } from "../xds/kinds.ts"
import type { Resource } from "../xds/resource.ts"
import { jsonInTurns } from "./json-in-turns.ts"

/** What the debug pages show. */
export interface DebugPagesOptions {
  /** For /metrics, in Prometheus' format; without it there is no such page. */
  readonly metricsText?: () => string
  /** For /debug/stuckz: the registries of all clusters; without them there is no such page. */
  readonly sources?: readonly StuckSource[]
}

/** Answers what the server knows and whom it rows what, under upstream's names. A Transport, so that a test needs no port. */
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

/** All services, as the model has them. */
function registryz(hub: Hub): unknown {
  return hub.catalogue.services()
}

/** hostname → its endpoints, of every cluster. */
function endpointz(hub: Hub): unknown {
  return Object.fromEntries(hub.catalogue.services().map(({ hostname }) => [hostname, hub.catalogue.endpoints(hostname)]))
}

/** The assignments that were sent: to one client, or to all. Decoded as they are read. */
export function edsz(hub: Hub, proxy: string | undefined): unknown {
  const sessions = [...hub.sessions].filter(({ client }) => proxy === undefined || client.id === proxy)
  if (proxy !== undefined && sessions.length === 0) return undefined
  return assignments(hub, sessions)
}

function* assignments(hub: Hub, sessions: readonly Session[]): Iterable<unknown> {
  const seen = new Set<string>()
  for (const session of sessions) {
    for (const name of session.watches.endpoint.sentVersions.keys()) {
      if (seen.has(name)) continue
      seen.add(name)
      yield decoded(hub.offerTo(session, "endpoint").find(name))
    }
  }
}

/** What is kept for each sort of clients: how much, and how often it was of use. */
function cachez(hub: Hub): unknown {
  return Object.fromEntries(
    Object.entries(hub.caches).map(([name, cache]) => [name, { hits: cache.hits, misses: cache.misses, ...cache.sizes() }]),
  )
}

/** For every client and kind: what was sent, accepted and refused, and how long ago in milliseconds. */
function syncz(hub: Hub): unknown {
  return [...hub.sessions].map((session) => ({
    proxy: session.client.id,
    agent: session.client.agent,
    generator: session.client.generator,
    protocol: session.protocol,
    waiting: session.waiting,
    ...Object.fromEntries(
      kinds.filter((kind) => session.watches[kind].asked).map((kind) => [shortNames[kind], status(hub, session, kind)]),
    ),
  }))
}

function status(hub: Hub, session: Session, kind: (typeof kinds)[number]): object {
  const { sent, acked, nacked, nackText, names, wildcard } = session.watches[kind]
  const { sentAt, ackedAt, nackedAt, responses, bytes } = session.log.of(kind)
  const age = (at: number | undefined) => (at === undefined ? undefined : hub.age(at))
  return {
    state: nackText !== "" ? "NACK" : sent === "" ? "NOT SENT" : acked === sent ? "SYNCED" : "STALE",
    nonceSent: sent,
    nonceAcked: acked,
    ...(nacked !== "" && { nonceNacked: nacked, nack: nackText }),
    names: wildcard ? "*" : names.size,
    responses,
    bytes,
    sentAgo: age(sentAt),
    ackedAgo: age(ackedAt),
    nackedAgo: age(nackedAt),
  }
}

/** A cluster whose objects a handler may fail on. */
interface StuckSource {
  readonly cluster: string
  readonly stuck: readonly StuckTask[]
}

/** Objects whose handlers have failed ten times or more, by cluster; those that have failed for longest first. */
function stuckz(sources: readonly StuckSource[]): unknown {
  return sources
    .flatMap(({ cluster, stuck }) => stuck.map((task) => ({ cluster, task })))
    .toSorted((a, b) => a.task.since - b.task.since)
    .map(({ cluster, task: { kind, key, attempts, error, since, givenUp } }) => ({
      cluster,
      kind,
      name: key,
      attempts,
      error,
      since: new Date(since).toISOString(),
      ...(givenUp && { givenUp }),
    }))
}

/** Everything that was sent to one client, decoded as it is read; undefined where no such client is connected. */
export function configDump(hub: Hub, proxy: string): unknown {
  const session = [...hub.sessions].find(({ client }) => client.id === proxy)
  if (session === undefined) return undefined
  const rows = kinds.map((kind) => {
    return [shortNames[kind], resources(hub, session, kind)] as const
  })
  return { proxy, agent: session.client.agent, ...Object.fromEntries(rows) }
}

function* resources(hub: Hub, session: Session, kind: Kind): Iterable<unknown> {
  for (const [name, version] of session.watches[kind].sentVersions)
    yield { name, version, resource: decoded(hub.offerTo(session, kind).find(name)) }
}

/** A resource as an object, with what is packed in it unpacked. */
export function decoded(resource: Resource | undefined): unknown {
  return resource && unpacked({ typeUrl: typeUrls[resource.kind], value: resource.value })
}

function unpacked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unpacked)
  if (typeof value !== "object" || value === null) return value
  const { typeUrl, value: bytes } = value as { readonly typeUrl?: unknown; readonly value?: unknown }
  if (typeof typeUrl === "string" && bytes instanceof Uint8Array) {
    const inner: Decoded = messageOf(typeUrl)?.decode(bytes) ?? {}
    return { "@type": typeUrl, ...(unpacked(inner) as object) }
  }
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, one]) => !(Array.isArray(one) && one.length === 0))
      .map(([key, one]) => [key, unpacked(one)]),
  )
}
