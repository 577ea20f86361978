import type { Clock, Metrics } from "@pilothouse/seams"
import { Assignments } from "../generators/assignments.ts"
import type { XdsClient } from "../generators/client.ts"
import { envoyGenerator } from "../generators/envoy/envoy-generator.ts"
import type { Generator } from "../generators/generator.ts"
import { grpcGenerator } from "../generators/grpc/grpc-generator.ts"
import type { Service } from "../model/service.ts"
import type { Registry, RegistrySubscriber } from "../registry.ts"
import type { Kind } from "../xds/kinds.ts"
import { Catalogue } from "./catalogue.ts"
import { ChangeTraces, type Tracked } from "./change-trace.ts"
import { Debounce } from "./debounce.ts"
import { type PushMetrics, pushMetrics } from "./push-metrics.ts"
import { Reach } from "./reach.ts"
import { ResourceCache } from "./resource-cache.ts"
import { type Protocol, Responses } from "./responses.ts"
import { type FullOffer, Session } from "./session.ts"

export interface HubOptions {
  readonly registry: Registry
  readonly clock: Clock
  readonly metrics: Metrics
  /** Milliseconds of quiet before a change of services goes out, and the most that one waits. Endpoints never wait. */
  readonly quiet?: number
  readonly maximum?: number
  /** Milliseconds for which a cluster outlives its service. */
  readonly grace?: number
}

/** Between the registry and the streams: what happened, when it goes out, and who is connected. */
export class Hub implements RegistrySubscriber, Disposable {
  readonly catalogue: Catalogue
  readonly traces: ChangeTraces
  readonly sessions = new Set<Session>()
  readonly caches: Readonly<Record<XdsClient["generator"], ResourceCache>>
  readonly #generators: Readonly<Record<XdsClient["generator"], Generator>>
  readonly #clock: Clock
  readonly #metrics: PushMetrics
  readonly #reach: Reach
  readonly #responses = new Responses()
  readonly #debounce: Debounce
  /** What goes out when things are quiet, by host. */
  readonly #waiting = new Map<string, { services: Set<Service>; trace: Tracked }>()
  readonly #subscription: Disposable

  constructor({ registry, clock, metrics, quiet = 25, maximum = 500, grace = 30_000 }: HubOptions) {
    this.#clock = clock
    this.#metrics = pushMetrics(metrics)
    this.traces = new ChangeTraces(clock)
    this.catalogue = new Catalogue({ registry, clock, grace, onLeft: (service) => this.#reach.services([service]) })
    const assignments = new Assignments(this.catalogue)
    this.#generators = { envoy: envoyGenerator(this.catalogue, assignments), grpc: grpcGenerator(this.catalogue, assignments) }
    this.caches = { envoy: new ResourceCache(this.#generators.envoy), grpc: new ResourceCache(this.#generators.grpc) }
    const isThere = (hostname: string) => registry.service(hostname) !== undefined
    this.#reach = new Reach({ generators: this.#generators, caches: this.caches, isThere })
    this.#debounce = new Debounce({ clock, quiet, maximum, fire: (_calls, waited) => this.#push(waited) })
    this.#subscription = registry.subscribe(this)
  }

  get ready(): boolean {
    return this.catalogue.ready
  }

  open(client: XdsClient, protocol: Protocol, write: (bytes: Buffer, done: () => void) => void): Session {
    const session = new Session({
      client,
      protocol,
      write,
      respond: (content, after) => this.#responses.of(content, after),
      offer: (kind) => this.#offer(kind, client),
      waitsForEndpoints: (cluster) => this.#generators[client.generator].waitsForEndpoints(cluster, client),
      elapsed: () => this.#clock.elapsed(),
      onInterest: (from, kind, subscription) => this.#reach.interest.note(from, kind, subscription),
      onSent: (kind, bytes) => this.#metrics.sent(kind, bytes),
      onNack: (kind) => this.#metrics.rejected(kind),
      onAcked: (_kind, milliseconds) => this.#metrics.converged(milliseconds / 1000),
    })
    this.sessions.add(session)
    this.#metrics.streams(this.sessions.size)
    return session
  }

  close(session: Session): void {
    this.#reach.forget(session)
    this.sessions.delete(session)
    this.#metrics.streams(this.sessions.size)
  }

  serviceUpdate(hostname: string): void {
    const trace = this.traces.begin("service", hostname)
    const services = this.catalogue.learn(hostname)
    this.#metrics.triggered("service")
    this.#reach.makeStale(services)
    this.#wait(hostname, services, trace)
    // Who loses its endpoints loses them at once; the rest can wait until things are quiet.
    this.#reach.endpoints(services, trace, { listeners: false })
    this.#debounce.call()
  }

  endpointsUpdate(_shard: string, hostname: string): void {
    const service = this.catalogue.service(hostname)
    if (service === undefined) return
    const trace = this.traces.begin("endpoints", hostname)
    this.#metrics.triggered("endpoint")
    this.#reach.endpoints([service], trace, { listeners: !this.#waiting.has(hostname) })
  }

  workloadUpdate(): void {
    // What it changes of endpoints is told as that.
  }

  configUpdate(because: string): void {
    const trace = this.traces.begin("configuration", because)
    this.#metrics.triggered("config")
    for (const cache of Object.values(this.caches)) cache.clear()
    for (const service of this.catalogue.services()) this.#wait(service.hostname, [service], trace)
    this.#debounce.call()
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]()
    this.#debounce[Symbol.dispose]()
    this.catalogue[Symbol.dispose]()
  }

  /** Milliseconds since. */
  age(at: number): number {
    return this.#clock.elapsed() - at
  }

  /** What a client may have of a kind, for debugging too. */
  offerTo(session: Session, kind: Kind): FullOffer {
    return this.#offer(kind, session.client)
  }

  #offer(kind: Kind, client: XdsClient): FullOffer {
    const cache = this.caches[client.generator]
    return { find: (name) => cache.find(kind, name, client), names: () => this.#generators[client.generator].names(kind, client) }
  }

  #push(waited: number): void {
    this.#metrics.debounced(waited / 1000)
    this.#metrics.services(this.catalogue.services().length)
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { services, trace } of waiting) this.#reach.services([...services], trace)
  }

  /** Whatever a service was meanwhile, some client may have asked just then. */
  #wait(hostname: string, services: readonly Service[], trace: Tracked): void {
    const known = this.#waiting.get(hostname)?.services ?? []
    this.#waiting.set(hostname, { services: new Set([...known, ...services]), trace })
  }
}
