import type { XdsClient } from "../generators/client.ts"
import { deltaChange, deltaRequest } from "../xds/delta.ts"
import { isRoot, type Kind, kinds } from "../xds/kinds.ts"
import type { DeltaRequest, SotwRequest } from "../xds/request.ts"
import type { Resource } from "../xds/resource.ts"
import { sotwChange, sotwRequest } from "../xds/sotw.ts"
import { type Answer, type Deferred, isLong, type Offer, partsOf, type Step, type Subscription } from "../xds/step.ts"
import { Watch } from "../xds/watch.ts"
import type { Tracked } from "./change-trace.ts"
import type { Lifetime } from "./lifetime.ts"
import { Pending } from "./pending.ts"
import type { Protocol, ResponseContent, SharedResponse } from "./responses.ts"
import { namesPerResponse } from "./send-turns.ts"
import { SentLog } from "./sent-log.ts"
import { type StreamQuota, SubscriptionLimitExceeded } from "./subscription-quota.ts"
import { Warming } from "./warming.ts"

/** The resources of one kind that a client may get. */
export interface ResourceOffer extends Offer {
  find(name: string): Resource | undefined
}

/** What sessions depend on: one object for all of them, since there may be very many. */
export interface SessionDeps {
  /** Good until the next is asked for. */
  offer(kind: Kind, client: XdsClient): ResourceOffer
  waitsForEndpoints(cluster: string, client: XdsClient): boolean
  /** Calls `takeTurn` in a later turn of the event loop. */
  sendLater(session: Session): void
  respond(content: ResponseContent, after: number): SharedResponse
  elapsed(): number
  onSubscription(session: Session, kind: Kind, subscription: Subscription): void
  onSent(kind: Kind, bytes: number): void
  /** Milliseconds that it took to make a response. */
  onMade(kind: Kind, milliseconds: number): void
  /** Milliseconds until a response had left. */
  onWritten(milliseconds: number): void
  /** Milliseconds that the oldest of what was sent had waited. */
  onQueued(milliseconds: number): void
  /** A request answers an older response than the newest. */
  onExpired(kind: Kind): void
  onNack(kind: Kind): void
  /** Milliseconds from the change to its ACK. */
  onAcked(milliseconds: number): void
}

/** What one session is made with. */
export interface SessionOptions {
  readonly deps: SessionDeps
  readonly client: XdsClient
  /** The client as it said of itself, wherever it is. */
  readonly asked: XdsClient
  readonly protocol: Protocol
  /** There for a client whose resources expire. */
  readonly lifetime?: Lifetime
  readonly quota: StreamQuota
  readonly peer: SessionPeer
}

/** Responses that may be under way to one client; what changes meanwhile is merged and waits. */
const underWayLimit = 4
/** Names that may wait to be sent to one client. */
const maxPending = 150_000
/** Envoy prints whole messages into its refusals. */
const maxNack = 4_096

/** One stream: a watch of each kind, what waits to be sent, and what was sent. Nothing in it grows with the number of changes. */
export class Session {
  readonly protocol: Protocol
  readonly watches: Readonly<Record<Kind, Watch>>
  readonly log = new SentLog()
  readonly #options: SessionOptions
  readonly #deps: SessionDeps
  readonly #pending = new Pending()
  readonly #warming: Warming
  #underWay = 0
  /** When the oldest of what is pending came. */
  #waitingSince: number | undefined
  /** Kinds whose heartbeat was due: a client that takes nothing for a moment gets it when it does again. */
  readonly #owedBeats = new Set<Kind>()
  #nonce = 0
  /** More waits than one response holds: nothing is sent before its next turn. */
  #waitsForTurn = false
  /** Its names are removed from the index in turns, so that changes may still reach it. */
  #isOver = false
  #client: XdsClient

  constructor(options: SessionOptions) {
    this.#options = options
    this.#deps = options.deps
    this.#client = options.client
    this.protocol = options.protocol
    this.watches = {
      cluster: new Watch("cluster"),
      endpoint: new Watch("endpoint"),
      listener: new Watch("listener"),
      route: new Watch("route"),
    }
    this.#warming = new Warming({
      isEager: options.client.generator === "envoy",
      waitsForEndpoints: (cluster) => this.#deps.waitsForEndpoints(cluster, this.#client),
      watch: this.watches.endpoint,
      pending: this.#pending,
    })
  }

  get client(): XdsClient {
    return this.#client
  }

  /** The client as it said of itself. */
  get asked(): XdsClient {
    return this.#options.asked
  }

  /** True when the client does not take what it is sent: its requests are to wait too. */
  get blocked(): boolean {
    return this.#underWay >= underWayLimit
  }

  get waiting(): number {
    return this.#pending.size
  }

  /** Returns the rest of the work where the request is long: each step of it is for a turn of its own, and no other request is received before its end. */
  receive(kind: Kind, request: SotwRequest | DeltaRequest): Iterator<void, void> | undefined {
    this.#options.quota.check(request)
    const offer = this.#deps.offer(kind, this.#client)
    const watch = this.watches[kind]
    const { wildcard } = watch
    if (request.nonce !== "" && request.nonce !== watch.sent) this.#deps.onExpired(kind)
    const capped = request.error === undefined ? request : { ...request, error: shortened(request.error) }
    const step = "names" in capped ? sotwRequest(watch, capped, offer) : deltaRequest(watch, capped, offer)
    if (isLong(step)) {
      this.#note(kind, step)
      return this.#receiveInParts(kind, step, offer)
    }
    const changed = step.subscription !== undefined && isOther(step.subscription, wildcard) ? step.subscription : undefined
    if (changed !== undefined) this.#options.quota.charge(changed)
    this.#note(kind, step)
    this.#carryOut(kind, step, offer, [])
    this.#warming.received(kind, step)
    if (changed !== undefined && !changed.wildcard) this.#pending.drop(kind, changed.dropped)
    if (step.deferred !== undefined) this.#defer(kind, step.deferred)
    if (changed !== undefined) this.#deps.onSubscription(this, kind, changed)
    this.pump()
    return undefined
  }

  #receiveInParts(kind: Kind, step: Step, offer: ResourceOffer): Iterator<void, void> {
    const { wildcard = false, named = false } = step.subscription ?? {}
    const subscription: Subscription = { wildcard, named, added: [], dropped: [] }
    const { held, ...rest } = step
    // What a client says that it holds counts where it subscribes to it: by name, that is decided with each part.
    this.#carryOut(kind, { ...rest, subscription, ...(wildcard && held && { held }) }, offer, [])
    this.#deps.onSubscription(this, kind, subscription)
    return this.#parts(kind, step, subscription)
  }

  *#parts(kind: Kind, step: Step, subscription: Subscription): IterableIterator<void, void> {
    for (const part of partsOf(step)) {
      this.#options.quota.charge(part)
      this.watches[kind].takePart(part, step.held)
      if (!subscription.wildcard) this.#pending.drop(kind, part.dropped)
      this.#deps.onSubscription(this, kind, { ...subscription, added: part.added, dropped: part.dropped })
      this.#defer(kind, part.deferred)
      yield
    }
    this.#warming.received(kind, step)
    this.pump()
  }

  /** The stream is over: nothing is sent any more. */
  end(): void {
    this.#isOver = true
  }

  /** The stream is over, and its names are in no index any more. */
  releaseQuota(): void {
    this.#options.quota.release()
  }

  /** Something about this name may have changed. Sent by the next `pump`. */
  touch(kind: Kind, name: string, trace?: Tracked): void {
    if (this.#isOver) return
    this.#waitingSince ??= this.#deps.elapsed()
    this.#pending.add(kind, name, trace)
  }

  /** The same client, elsewhere: the endpoints that it has may be nearer or farther now. Sent by the next `pump`. */
  move(client: XdsClient): void {
    this.#client = client
    for (const name of this.watches.endpoint.sentVersions.keys()) this.touch("endpoint", name)
  }

  /** Sends what waits, in the order of kinds, as long as the client takes it. A fault ends this session, and not those that come after it. */
  pump(): void {
    if (this.#waitsForTurn || this.#isOver) return
    try {
      this.#pump()
    } catch (error) {
      this.#options.peer.broken(error)
    }
  }

  /** The turn has come that `sendLater` was called for. */
  takeTurn(): void {
    this.#waitsForTurn = false
    this.pump()
  }

  #pump(): void {
    if (this.#waitingSince !== undefined && !this.blocked) {
      this.#deps.onQueued(this.#deps.elapsed() - this.#waitingSince)
      this.#waitingSince = undefined
    }
    for (const kind of kinds) {
      if (this.blocked) return
      if (this.#owedBeats.delete(kind)) this.#beat(kind)
      const isWhole = this.protocol === "sotw" && isRoot(kind)
      const work = this.#pending.take(kind, isWhole ? undefined : namesPerResponse)
      const watch = this.watches[kind]
      if (work === undefined || !watch.asked) continue
      const offer = this.#deps.offer(kind, this.#client)
      const change = this.protocol === "sotw" ? sotwChange : deltaChange
      this.#carryOut(kind, change(watch, work.names, work.forced, offer), offer, work.traces)
      if (!this.#pending.has(kind)) continue
      // Also what is of a later kind: the order of kinds is that in which clients can use them.
      this.#waitsForTurn = true
      return this.#deps.sendLater(this)
    }
  }

  /** A client that subscribes and unsubscribes faster than it is answered cannot pile up names. */
  #defer(kind: Kind, { names, forced }: Deferred): void {
    this.#waitingSince ??= this.#deps.elapsed()
    for (const name of names) this.#pending.add(kind, name)
    this.#pending.force(kind, forced)
    if (this.#pending.size > maxPending)
      throw new SubscriptionLimitExceeded(`at most ${maxPending} names that wait to be sent`, "take responses before the next request")
  }

  /**
   * Renews what the client has before it expires. By state of the world everything is sent again: Envoy would read a response with
   * nothing but heartbeats as the empty set, and delete all clusters.
   */
  heartbeat(): void {
    const { lifetime } = this.#options
    if (lifetime === undefined) return
    for (const kind of kinds) {
      const { sentVersions } = this.watches[kind]
      if (!lifetime.covers(kind)) continue
      if (this.protocol === "sotw") this.#pending.force(kind, [...sentVersions.keys()])
      else this.#owedBeats.add(kind)
    }
    this.pump()
  }

  #beat(kind: Kind): void {
    const resources = this.#options.lifetime?.heartbeats(kind, this.watches[kind].sentVersions) ?? []
    if (resources.length === 0) return
    const beat: Step = { reason: "heartbeat", answer: { names: [], removed: [], whole: false, changed: [] } }
    const response = this.#deps.respond({ protocol: this.protocol, kind, resources, removed: [] }, this.#nonce)
    this.#nonce = response.nonce
    this.watches[kind].take(beat, this.#deps.offer(kind, this.#client), response.nonceText)
    this.#send(kind, response, [])
  }

  #note(kind: Kind, { verdict }: Step): void {
    if (verdict?.is === "nack") this.#deps.onNack(kind)
    if (verdict === undefined) return
    this.#options.lifetime?.judged(kind, verdict)
    const now = this.#deps.elapsed()
    for (const trace of this.log.judged(kind, verdict, now)) this.#deps.onAcked(trace.acked())
  }

  #carryOut(kind: Kind, step: Step, offer: ResourceOffer, traces: readonly Tracked[]): void {
    const begun = this.#deps.elapsed()
    const response = step.answer && this.#respond(kind, step.answer, offer)
    if (response !== undefined) this.#deps.onMade(kind, this.#deps.elapsed() - begun)
    this.watches[kind].take(step, offer, response?.nonceText ?? "")
    if (step.answer === undefined || response === undefined) return
    if (kind === "cluster") this.#warming.sent(step.answer.changed)
    this.#send(kind, response, traces)
  }

  #send(kind: Kind, { nonce, nonceText, bytes, resources }: SharedResponse, traces: readonly Tracked[]): void {
    this.#options.lifetime?.sent(kind, nonce, resources)
    const at = this.#deps.elapsed()
    this.log.sent(kind, { nonce: nonceText, at, bytes: bytes.length, traces })
    for (const trace of traces) trace.sent()
    this.#deps.onSent(kind, bytes.length)
    this.#underWay++
    this.#options.peer.write(bytes, () => {
      this.#deps.onWritten(this.#deps.elapsed() - at)
      const waited = this.blocked
      this.#underWay--
      if (waited) this.pump()
    })
  }

  #respond(kind: Kind, { names, removed }: Answer, offer: ResourceOffer): SharedResponse {
    const found: Resource[] = []
    for (const name of names) {
      const resource = offer.find(name)
      if (resource !== undefined) found.push(resource)
    }
    const resources = this.#options.lifetime?.timed(kind, found) ?? found
    const response = this.#deps.respond({ protocol: this.protocol, kind, resources, removed }, this.#nonce)
    this.#nonce = response.nonce
    return response
  }
}

function isOther({ wildcard, added, dropped }: Subscription, before: boolean): boolean {
  return wildcard !== before || added.length > 0 || dropped.length > 0
}

/** Copied: a part of a text keeps the whole of it in memory, and a request may have 4 MiB. */
function shortened(text: string): string {
  return text.length <= maxNack ? text : Buffer.from(text.slice(0, maxNack)).toString()
}

/** The client's end of a session. */
export interface SessionPeer {
  /** Hands bytes to the client; `done` when they have left. */
  write(bytes: Buffer, done: () => void): void
  /** A response could not be made: an internal error, which ends this session. */
  broken(error: unknown): void
}
