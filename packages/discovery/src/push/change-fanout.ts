import type { XdsClient } from "../generators/client.ts"
import type { Generator } from "../generators/generator.ts"
import type { Service } from "../model/service.ts"
import type { Tracked } from "../session/change-trace.ts"
import type { Session } from "../session/session.ts"
import { type Kind, kinds } from "../xds/kinds.ts"
import type { ResourceCache } from "./resource-cache.ts"
import { SubscriptionIndex } from "./subscription-index.ts"

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
