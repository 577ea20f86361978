import type { XdsClient } from "../generators/client.ts"
import type { Generator } from "../generators/generator.ts"
import type { Service } from "../model/service.ts"
import type { Tracked } from "../session/change-trace.ts"
import type { Session } from "../session/session.ts"
import { type Kind, kinds } from "../xds/kinds.ts"
import type { Subscription } from "../xds/step.ts"
import type { ResourceCache } from "./resource-cache.ts"

const shardCount = 256

type Sort = XdsClient["generator"]
type Affected = Readonly<Partial<Record<Kind, readonly string[]>>>

/** What a change is fanned out to. */
export interface ChangeFanoutOptions {
  readonly generators: Readonly<Record<Sort, Generator>>
  readonly caches: Readonly<Record<Sort, ResourceCache>>
  /** Whether there is still such a service. */
  isThere(hostname: string): boolean
}

const sorts: readonly Sort[] = ["envoy", "grpc"]

/** The fan-out of a change: the resources that it makes stale, and the streams that receive it. */
export class ChangeFanout {
  readonly subscriptions = new SubscriptionIndex()
  readonly #options: ChangeFanoutOptions
  readonly #touched = new Set<Session>()
  /** Listeners that a headless service's endpoints had last: those that go are sent as removed. */
  readonly #podListeners = new Map<string, readonly string[]>()
  #pumping = false

  constructor(options: ChangeFanoutOptions) {
    this.#options = options
  }

  /** Each step of the iteration removes one name of a session that is over. */
  forget(session: Session): IterableIterator<void, void> {
    this.#touched.delete(session)
    return this.subscriptions.forget(session)
  }

  /** Nothing of these services is answered from memory any more. */
  makeStale(services: readonly Service[]): void {
    for (const sort of sorts) {
      for (const service of services) {
        const affected = this.#options.generators[sort].affected(service)
        for (const kind of kinds) for (const name of affected[kind]) this.#options.caches[sort].drop(kind, name)
      }
    }
  }

  /** Something waits for these sessions already. */
  moved(sessions: readonly Session[]): void {
    for (const session of sessions) this.#touched.add(session)
    this.#pumpSoon()
  }

  /** Everything about these services. */
  services(services: readonly Service[], trace?: Tracked): void {
    for (const sort of sorts) {
      for (const service of services) {
        const generator = this.#options.generators[sort]
        const affected = generator.affected(service)
        const ofPods = this.#listenersOfPods(sort, service, generator.affectedByEndpoints(service).listener)
        this.#touch(sort, { ...affected, listener: [...affected.listener, ...ofPods] }, trace)
      }
    }
  }

  /** Only their endpoints, and with `listeners` those listeners that stand for endpoints. */
  endpoints(services: readonly Service[], trace: Tracked, { listeners }: { readonly listeners: boolean }): void {
    for (const sort of sorts) {
      for (const service of services) {
        const { endpoint, listener } = this.#options.generators[sort].affectedByEndpoints(service)
        this.#touch(sort, { endpoint, listener: listeners ? this.#listenersOfPods(sort, service, listener) : [] }, trace)
      }
    }
  }

  /** Those that are, and those that were. */
  #listenersOfPods(sort: Sort, service: Service, now: readonly string[] | undefined): readonly string[] {
    const key = `${sort} ${service.hostname}`
    const before = this.#podListeners.get(key) ?? []
    if (now === undefined || !this.#options.isThere(service.hostname)) this.#podListeners.delete(key)
    else this.#podListeners.set(key, now)
    return [...new Set([...before, ...(now ?? [])])]
  }

  #touch(sort: Sort, affected: Affected, trace?: Tracked): void {
    for (const kind of kinds) {
      const names = affected[kind] ?? []
      for (const name of names) {
        this.#options.caches[sort].drop(kind, name)
        this.subscriptions.visit(kind, name, (session) => {
          if (session.client.generator !== sort) return
          session.touch(kind, name, trace)
          this.#touched.add(session)
        })
      }
    }
    this.#pumpSoon()
  }

  /** After everything that the source said in one go. */
  #pumpSoon(): void {
    if (this.#pumping || this.#touched.size === 0) return
    this.#pumping = true
    queueMicrotask(() => {
      this.#pumping = false
      const sessions = [...this.#touched]
      this.#touched.clear()
      for (const session of sessions) session.pump()
    })
  }
}

/** Sessions by the names that they subscribe to, so that a change visits only those. */
class SubscriptionIndex {
  readonly #byName: Readonly<Record<Kind, SessionsByName>> = {
    cluster: new SessionsByName(),
    endpoint: new SessionsByName(),
    listener: new SessionsByName(),
    route: new SessionsByName(),
  }
  readonly #wildcard: Readonly<Record<Kind, Set<Session>>> = {
    cluster: new Set(),
    endpoint: new Set(),
    listener: new Set(),
    route: new Set(),
  }

  note(session: Session, kind: Kind, { wildcard, added, dropped }: Subscription): void {
    if (wildcard) this.#wildcard[kind].add(session)
    else this.#wildcard[kind].delete(session)
    for (const name of dropped) this.#byName[kind].delete(name, session)
    for (const name of added) this.#byName[kind].add(name, session)
  }

  /** Each step of the iteration removes one name of a session that is over; until the last step the session may still be visited. */
  *forget(session: Session): IterableIterator<void, void> {
    for (const kind of kinds) this.#wildcard[kind].delete(session)
    for (const kind of kinds)
      for (const name of session.watches[kind].names) {
        this.#byName[kind].delete(name, session)
        yield
      }
  }

  /** Visits the subscribers of a name, each once. Allocates nothing: a change goes to thousands of clients. */
  visit(kind: Kind, name: string, notify: (session: Session) => void): void {
    const named = this.#byName[kind].get(name)
    const all = this.#wildcard[kind]
    if (named instanceof Set) for (const session of named) notify(session)
    else if (named !== undefined) notify(named)
    if (all.size === 0) return
    for (const session of all) if (named instanceof Set ? !named.has(session) : named !== session) notify(session)
  }
}

/** A session by itself, or several: most of very many names have one subscriber each. */
type Subscribers = Session | Set<Session>

/**
 * The sessions of each name, in a fixed number of maps. A map of V8 is copied whenever its size doubles or shrinks, in one turn of the event loop: one of two
 * million names takes a third of a second, one of 256 a millisecond.
 */
export class SessionsByName {
  readonly #shards: readonly Map<string, Subscribers>[] = Array.from({ length: shardCount }, () => new Map())

  get(name: string): Subscribers | undefined {
    return this.#shardOf(name).get(name)
  }

  add(name: string, session: Session): void {
    const shard = this.#shardOf(name)
    const known = shard.get(name)
    if (known === undefined) shard.set(name, session)
    else if (known instanceof Set) known.add(session)
    else if (known !== session) shard.set(name, new Set([known, session]))
  }

  delete(name: string, session: Session): void {
    const shard = this.#shardOf(name)
    const known = shard.get(name)
    if (known instanceof Set) known.delete(session)
    if (known === session || (known instanceof Set && known.size === 0)) shard.delete(name)
  }

  /** How many names the fullest shard has. */
  get largestShard(): number {
    return this.#shards.reduce((largest, { size }) => Math.max(largest, size), 0)
  }

  #shardOf(name: string): Map<string, Subscribers> {
    let hash = name.length
    for (let at = 0; at < name.length; at++) hash = (Math.imul(hash, 31) + name.charCodeAt(at)) | 0
    // The low bits alone hardly differ between names that differ at their end.
    return this.#shards[(hash ^ (hash >>> 8) ^ (hash >>> 16)) & (shardCount - 1)]!
  }
}
