import type { StuckTask } from "@pilothouse/runtime"
import type { Hub } from "../push/hub.ts"
import type { Session } from "../session/session.ts"
import { kinds, shortNames } from "../xds/kinds.ts"
import { decoded } from "./config-dump.ts"

/** All services, as the model has them. */
export function registryz(hub: Hub): unknown {
  return hub.catalogue.services()
}

/** hostname → its endpoints, of every cluster. */
export function endpointz(hub: Hub): unknown {
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
    for (const name of session.watches.endpoint.told.keys()) {
      if (seen.has(name)) continue
      seen.add(name)
      yield decoded(hub.offerTo(session, "endpoint").find(name))
    }
  }
}

/** What is kept for each sort of clients: how much, and how often it was of use. */
export function cachez(hub: Hub): unknown {
  return Object.fromEntries(
    Object.entries(hub.caches).map(([name, cache]) => [name, { hits: cache.hits, misses: cache.misses, ...cache.sizes() }]),
  )
}

/** For every client and kind: what was sent, accepted and refused, and how long ago in milliseconds. */
export function syncz(hub: Hub): unknown {
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
export interface StuckSource {
  readonly cluster: string
  readonly stuck: readonly StuckTask[]
}

/** Objects whose handlers have failed ten times or more, by cluster; those that have failed for longest first. */
export function stuckz(sources: readonly StuckSource[]): unknown {
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
