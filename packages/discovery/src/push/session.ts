import type { XdsClient } from "../generators/client.ts"
import { deltaChange, deltaRequest } from "../xds/delta.ts"
import { type Kind, kinds } from "../xds/kinds.ts"
import type { DeltaRequest, SotwRequest } from "../xds/request.ts"
import type { Resource } from "../xds/resource.ts"
import { sotwChange, sotwRequest } from "../xds/sotw.ts"
import type { Answer, Offer, Step } from "../xds/step.ts"
import { Watch } from "../xds/watch.ts"
import type { Tracked } from "./change-trace.ts"
import type { Lifetime } from "./lifetime.ts"
import { Pending } from "./pending.ts"
import type { Protocol, ResponseContent, SharedResponse } from "./responses.ts"
import { SentLog } from "./sent-log.ts"
import { Warming } from "./warming.ts"

export interface FullOffer extends Offer {
  find(name: string): Resource | undefined
}

/** What a session needs of the world. */
export interface SessionOptions {
  readonly client: XdsClient
  /** The client as it said of itself, wherever it is. */
  readonly asked: XdsClient
  readonly protocol: Protocol
  /** There for a client that forgets what it does not hear of in time. */
  readonly lifetime?: Lifetime
  offer(kind: Kind): FullOffer
  waitsForEndpoints(cluster: string): boolean
  respond(content: ResponseContent, after: number): SharedResponse
  /** Hands bytes to the client; `done` when they have left. */
  write(bytes: Buffer, done: () => void): void
  elapsed(): number
  onInterest(session: Session, kind: Kind, subscription: NonNullable<Step["subscription"]>): void
  onSent(kind: Kind, bytes: number): void
  /** Milliseconds that it took to make a response. */
  onMade(kind: Kind, milliseconds: number): void
  /** Milliseconds until a response had left. */
  onWritten(milliseconds: number): void
  /** Milliseconds that the oldest of what was sent had waited. */
  onQueued(milliseconds: number): void
  /** A request answers an older response than the newest. */
  onExpired(kind: Kind): void
  onNack(kind: Kind, text: string): void
  onAcked(kind: Kind, milliseconds: number): void
}

/** Responses that may be under way to one client; what changes meanwhile is merged and waits. */
const underWayLimit = 4
/** Envoy prints whole messages into its refusals. */
const longestNack = 4_096

/** One stream: a watch of each kind, what waits to be told, and what was told. Nothing in it grows with the number of changes. */
export class Session {
  readonly protocol: Protocol
  readonly watches: Readonly<Record<Kind, Watch>>
  readonly log = new SentLog()
  readonly #options: SessionOptions
  readonly #pending = new Pending()
  readonly #warming: Warming
  #underWay = 0
  /** When the oldest of what is pending came. */
  #waitingSince: number | undefined
  /** Kinds whose heartbeat was due: a client that takes nothing for a moment gets it when it does again. */
  readonly #owedBeats = new Set<Kind>()
  #nonce = 0
  #client: XdsClient

  constructor(options: SessionOptions) {
    this.#options = options
    this.#client = options.client
    this.protocol = options.protocol
    this.watches = {
      cluster: new Watch("cluster"),
      endpoint: new Watch("endpoint"),
      listener: new Watch("listener"),
      route: new Watch("route"),
    }
    this.#warming = new Warming({ options, watch: this.watches.endpoint, pending: this.#pending })
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

  receive(kind: Kind, request: SotwRequest | DeltaRequest): void {
    const offer = this.#options.offer(kind)
    const watch = this.watches[kind]
    const { wildcard } = watch
    if (request.nonce !== "" && request.nonce !== watch.sent) this.#options.onExpired(kind)
    const capped = request.error === undefined ? request : { ...request, error: request.error.slice(0, longestNack) }
    const step = "names" in capped ? sotwRequest(watch, capped, offer) : deltaRequest(watch, capped, offer)
    this.#note(kind, step)
    this.#carryOut(kind, step, offer, [])
    this.#warming.received(kind, step)
    if (step.subscription !== undefined && isOther(step.subscription, wildcard)) this.#options.onInterest(this, kind, step.subscription)
    this.pump()
  }

  /** Something about these names may have changed. Sent by the next `pump`. */
  touch(kind: Kind, names: Iterable<string>, trace?: Tracked): void {
    this.#waitingSince ??= this.#options.elapsed()
    this.#pending.add(kind, names, trace)
  }

  /** The same client, elsewhere: what it was told of endpoints may be nearer or farther now. Sent by the next `pump`. */
  move(client: XdsClient): void {
    this.#client = client
    this.touch("endpoint", this.watches.endpoint.told.keys())
  }

  /** Sends what waits, in the order of kinds, as long as the client takes it. */
  pump(): void {
    if (this.#waitingSince !== undefined && !this.blocked) {
      this.#options.onQueued(this.#options.elapsed() - this.#waitingSince)
      this.#waitingSince = undefined
    }
    for (const kind of kinds) {
      if (this.blocked) return
      if (this.#owedBeats.delete(kind)) this.#beat(kind)
      const work = this.#pending.take(kind)
      const watch = this.watches[kind]
      if (work === undefined || !watch.asked) continue
      const offer = this.#options.offer(kind)
      const change = this.protocol === "sotw" ? sotwChange : deltaChange
      this.#carryOut(kind, change(watch, work.names, work.forced, offer), offer, work.traces)
    }
  }

  /**
   * Tells the client that what it has goes on, before it forgets it. By state of the world everything is sent again: Envoy would read a response with
   * nothing but heartbeats as the empty set, and delete all clusters.
   */
  heartbeat(): void {
    const { lifetime } = this.#options
    if (lifetime === undefined) return
    for (const kind of kinds) {
      const { told } = this.watches[kind]
      if (!lifetime.covers(kind)) continue
      if (this.protocol === "sotw") this.#pending.force(kind, [...told.keys()])
      else this.#owedBeats.add(kind)
    }
    this.pump()
  }

  #beat(kind: Kind): void {
    const resources = this.#options.lifetime?.heartbeats(kind, this.watches[kind].told) ?? []
    if (resources.length === 0) return
    const beat: Step = { reason: "heartbeat", answer: { names: [], removed: [], whole: false, changed: [] } }
    const response = this.#options.respond({ protocol: this.protocol, kind, resources, removed: [] }, this.#nonce)
    this.#nonce = response.nonce
    this.watches[kind].take(beat, this.#options.offer(kind), String(response.nonce))
    this.#send(kind, response, [])
  }

  #note(kind: Kind, { verdict }: Step): void {
    if (verdict?.is === "nack") this.#options.onNack(kind, verdict.text)
    if (verdict === undefined) return
    this.#options.lifetime?.judged(kind, verdict)
    const now = this.#options.elapsed()
    for (const trace of this.log.judged(kind, verdict, now)) this.#options.onAcked(kind, trace.acked())
  }

  #carryOut(kind: Kind, step: Step, offer: FullOffer, traces: readonly Tracked[]): void {
    const begun = this.#options.elapsed()
    const response = step.answer && this.#respond(kind, step.answer, offer)
    if (response !== undefined) this.#options.onMade(kind, this.#options.elapsed() - begun)
    const nonce = String(response?.nonce ?? "")
    this.watches[kind].take(step, offer, nonce)
    if (step.answer === undefined || response === undefined) return
    if (kind === "cluster") this.#warming.sent(step.answer.changed)
    this.#send(kind, response, traces)
  }

  #send(kind: Kind, { nonce, bytes, resources }: SharedResponse, traces: readonly Tracked[]): void {
    this.#options.lifetime?.sent(kind, nonce, resources)
    const at = this.#options.elapsed()
    this.log.sent(kind, { nonce: String(nonce), at, bytes: bytes.length, traces })
    for (const trace of traces) trace.sent()
    this.#options.onSent(kind, bytes.length)
    this.#underWay++
    this.#options.write(bytes, () => {
      this.#options.onWritten(this.#options.elapsed() - at)
      const waited = this.blocked
      this.#underWay--
      if (waited) this.pump()
    })
  }

  #respond(kind: Kind, { names, removed }: Answer, offer: FullOffer): SharedResponse {
    const found = names.map((name) => offer.find(name)).filter((one) => one !== undefined)
    const resources = this.#options.lifetime?.timed(kind, found) ?? found
    const response = this.#options.respond({ protocol: this.protocol, kind, resources, removed }, this.#nonce)
    this.#nonce = response.nonce
    return response
  }
}

function isOther({ wildcard, added, dropped }: NonNullable<Step["subscription"]>, before: boolean): boolean {
  return wildcard !== before || added.length > 0 || dropped.length > 0
}
