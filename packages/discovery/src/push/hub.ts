import type { Clock, Metrics } from "@pilothouse/seams"
import { Assignments } from "../generators/assignments.ts"
import type { XdsClient } from "../generators/client.ts"
import { envoyGenerator } from "../generators/envoy/envoy-generator.ts"
import type { Generator } from "../generators/generator.ts"
import { grpcGenerator } from "../generators/grpc/grpc-generator.ts"
import type { Across } from "../generators/split-horizon.ts"
import type { Service } from "../model/service.ts"
import type { Registry, RegistrySubscriber } from "../registry/registry.ts"
import { ChangeTraces, type Tracked } from "../session/change-trace.ts"
import { type Protocol, Responses } from "../session/responses.ts"
import { ReleaseTurns, SendTurns } from "../session/send-turns.ts"
import { type ResourceOffer, Session, type SessionDeps, type SessionPeer } from "../session/session.ts"
import { type SubscriptionLimits, SubscriptionQuota } from "../session/subscription-quota.ts"
import type { Kind } from "../xds/kinds.ts"
import { Catalogue } from "./catalogue.ts"
import { ChangeFanout } from "./change-fanout.ts"
import { ClientPlaces } from "./client-places.ts"
import { Debounce } from "./debounce.ts"
import { EmptyClusters } from "./empty-clusters.ts"
import { Heartbeats } from "./heartbeats.ts"
import { type PushMetrics, pushMetrics } from "./push-metrics.ts"
import { ResourceCache } from "./resource-cache.ts"
import { ResourceView } from "./resource-view.ts"

/** What a hub serves, and its limits. */
export interface HubOptions {
  readonly registry: Registry
  readonly clock: Clock
  readonly metrics: Metrics
  /** Milliseconds of quiet before a change of services goes out, and the most that one waits. Endpoints never wait. */
  readonly quiet?: number
  readonly maximum?: number
  /** Milliseconds for which a cluster outlives its service. */
  readonly grace?: number
  /** Which endpoints of another network are replaced by its gateways: by default those with mutual TLS, which Istio's gateways require. */
  readonly acrossNetworks?: Across
  /** Time to live of resources in milliseconds, for clients that support it; heartbeats are sent twice as often. By default resources do not expire. */
  readonly ttl?: number
  /** How many names clients may subscribe to; those that are left out have their default. */
  readonly subscriptionLimits?: Partial<SubscriptionLimits>
}

/** Between the registry and the streams: what happened, when it goes out, and who is connected. */
export class Hub implements RegistrySubscriber, Disposable {
  readonly catalogue: Catalogue
  readonly traces: ChangeTraces
  readonly sessions = new Set<Session>()
  readonly caches: Readonly<Record<XdsClient["generator"], ResourceCache>>
  readonly #assignments: Assignments
  readonly #generators: Readonly<Record<XdsClient["generator"], Generator>>
  readonly #clock: Clock
  readonly #metrics: PushMetrics
  readonly #fanout: ChangeFanout
  readonly #responses = new Responses()
  readonly #turns = new SendTurns()
  readonly #releases = new ReleaseTurns()
  readonly #quota: SubscriptionQuota
  readonly #debounce: Debounce
  /** What goes out when things are quiet, by host. */
  readonly #waiting = new Map<string, { services: Set<Service>; trace: Tracked }>()
  readonly #subscription: Disposable
  readonly #heartbeats: Heartbeats
  readonly #places: ClientPlaces
  readonly #empty: EmptyClusters
  readonly #sessionDeps: SessionDeps

  constructor(options: HubOptions) {
    const { registry, clock, metrics, quiet = 25, maximum = 500, grace = 30_000, acrossNetworks = "mutual-tls" } = options
    this.#clock = clock
    this.#quota = new SubscriptionQuota(options.subscriptionLimits)
    this.#metrics = pushMetrics(metrics)
    this.traces = new ChangeTraces(clock)
    this.catalogue = new Catalogue({ registry, clock, grace, onLeft: (service) => this.#fanout.services([service]) })
    this.#assignments = new Assignments(this.catalogue, acrossNetworks)
    this.#generators = {
      envoy: envoyGenerator(this.catalogue, this.#assignments),
      grpc: grpcGenerator(this.catalogue, this.#assignments),
    }
    this.caches = { envoy: new ResourceCache(this.#generators.envoy), grpc: new ResourceCache(this.#generators.grpc) }
    const isThere = (hostname: string) => registry.getService(hostname) !== undefined
    this.#fanout = new ChangeFanout({ generators: this.#generators, caches: this.caches, isThere })
    this.#debounce = new Debounce({ clock, quiet, maximum, fire: (_calls, waited) => this.#push(waited) })
    this.#places = new ClientPlaces({
      placeOf: (pod, cluster) => this.catalogue.placeOf(pod, cluster),
      onStrangers: this.#metrics.strangers,
    })
    this.#empty = new EmptyClusters(this.#metrics.emptyClusters)
    this.#sessionDeps = this.#forSessions()
    this.#subscription = registry.subscribe(this)
    this.#heartbeats = new Heartbeats({ clock, ttl: options.ttl, sessions: this.sessions })
  }

  get ready(): boolean {
    return this.catalogue.ready
  }

  open(asked: XdsClient, protocol: Protocol, peer: SessionPeer): Session {
    const client = this.#places.placed(asked)
    const lifetime = this.#heartbeats.forClient(client, protocol)
    const session = new Session({ deps: this.#sessionDeps, client, asked, protocol, ...lifetime, quota: this.#quota.open(), peer })
    this.sessions.add(session)
    this.#places.add(session)
    this.#metrics.streams(this.sessions.size)
    return session
  }

  close(session: Session): void {
    session.end()
    this.#turns.remove(session)
    this.#releases.add(this.#release(session))
    this.sessions.delete(session)
    this.#places.remove(session)
    this.#metrics.streams(this.sessions.size)
  }

  serviceUpdate(hostname: string, change: "added" | "updated" | "deleted"): void {
    this.#metrics.inbound(change === "deleted" ? "svcdelete" : "svc")
    const trace = this.traces.begin("service", hostname)
    const services = this.catalogue.refresh(hostname)
    this.#countEmpty(hostname)
    this.#metrics.triggered("service")
    this.#fanout.makeStale(services)
    this.#wait(hostname, services, trace)
    // Who loses its endpoints loses them at once; the rest can wait until things are quiet.
    this.#fanout.endpoints(services, trace, { listeners: false })
    this.#debounce.call()
  }

  endpointsUpdate(_shard: string, hostname: string): void {
    this.#metrics.inbound("eds")
    const service = this.catalogue.getService(hostname)
    if (service === undefined) return
    this.#countEmpty(hostname)
    const trace = this.traces.begin("endpoints", hostname)
    this.#metrics.triggered("endpoint")
    this.#fanout.endpoints([service], trace, { listeners: !this.#waiting.has(hostname) })
  }

  /** Its endpoints are announced by `endpointsUpdate`; here it matters as a client. */
  workloadUpdate(_address: string, pod: string): void {
    this.#fanout.moved(this.#places.refresh(pod))
  }

  configUpdate(reason: string): void {
    this.#metrics.inbound("config")
    const trace = this.traces.begin("configuration", reason)
    this.#metrics.triggered("config")
    this.#assignments.forgetGateways()
    for (const cache of Object.values(this.caches)) cache.clear()
    for (const service of this.catalogue.services()) {
      this.#countEmpty(service.hostname)
      this.#wait(service.hostname, [service], trace)
    }
    this.#debounce.call()
  }

  [Symbol.dispose](): void {
    this.#subscription[Symbol.dispose]()
    this.#debounce[Symbol.dispose]()
    this.#heartbeats[Symbol.dispose]()
    this.catalogue[Symbol.dispose]()
  }

  /** A request of so many bytes came. */
  received(bytes: number): void {
    this.#metrics.received(bytes)
  }

  /** A stream ended, and it was not the client's fault. */
  internalError(): void {
    this.#metrics.internalError()
  }

  /** A client, or its connection, was refused before it was one of ours. */
  rejected(reason: string): void {
    this.#metrics.rejectedClient(reason)
  }

  /** Milliseconds since. */
  age(at: number): number {
    return this.#clock.elapsed() - at
  }

  /** What a client may have of a kind, for debugging too. */
  offerTo(session: Session, kind: Kind): ResourceOffer {
    return this.#offers().begin(kind, session.client)
  }

  #forSessions(): SessionDeps {
    const step = this.#offers()
    return {
      offer: (kind, client) => step.begin(kind, client),
      waitsForEndpoints: (cluster, client) => this.#generators[client.generator].waitsForEndpoints(cluster, client),
      sendLater: (session) => this.#turns.add(session),
      respond: (content, after) => this.#responses.of(content, after),
      elapsed: () => this.#clock.elapsed(),
      onSubscription: (session, kind, subscription) => this.#fanout.subscriptions.note(session, kind, subscription),
      onSent: this.#metrics.sent,
      onMade: this.#metrics.made,
      onWritten: this.#metrics.written,
      onQueued: this.#metrics.queued,
      onExpired: this.#metrics.expired,
      onNack: this.#metrics.rejected,
      onAcked: (milliseconds) => this.#metrics.converged(milliseconds / 1000),
    }
  }

  /** Its names count until the last of them is released. */
  *#release(session: Session): IterableIterator<void, void> {
    yield* this.#fanout.forget(session)
    session.releaseQuota()
  }

  #offers(): ResourceView {
    return new ResourceView(this.caches, (kind, client) => this.#generators[client.generator].names(kind, client))
  }

  #push(waited: number): void {
    this.#metrics.debounced(waited / 1000)
    this.#metrics.services(this.catalogue.services().length)
    const waiting = [...this.#waiting.values()]
    this.#waiting.clear()
    for (const { services, trace } of waiting) this.#fanout.services([...services], trace)
  }

  #countEmpty(hostname: string): void {
    this.#empty.refresh(hostname, this.catalogue.getService(hostname), this.catalogue.endpoints(hostname))
  }

  /** Whatever a service was meanwhile, some client may have asked just then. */
  #wait(hostname: string, services: readonly Service[], trace: Tracked): void {
    const known = this.#waiting.get(hostname)?.services ?? []
    this.#waiting.set(hostname, { services: new Set([...known, ...services]), trace })
  }
}
