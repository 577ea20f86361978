import type { XdsClient } from "../generators/client.ts"
import { deltaChange, deltaRequest } from "../xds/delta.ts"
import { type Kind, kinds } from "../xds/kinds.ts"
import type { DeltaRequest, SotwRequest } from "../xds/request.ts"
import type { Resource } from "../xds/resource.ts"
import { sotwChange, sotwRequest } from "../xds/sotw.ts"
import type { Answer, Offer, Step } from "../xds/step.ts"
import { Watch } from "../xds/watch.ts"
import type { Tracked } from "./change-trace.ts"
import { Pending } from "./pending.ts"
import type { Protocol, ResponseContent, SharedResponse } from "./responses.ts"
import { SentLog } from "./sent-log.ts"

export interface FullOffer extends Offer {
  find(name: string): Resource | undefined
}

/** What a session needs of the world. */
export interface SessionOptions {
  readonly client: XdsClient
  readonly protocol: Protocol
  offer(kind: Kind): FullOffer
  waitsForEndpoints(cluster: string): boolean
  respond(content: ResponseContent, after: number): SharedResponse
  /** Hands bytes to the client; `done` when they have left. */
  write(bytes: Buffer, done: () => void): void
  elapsed(): number
  onInterest(session: Session, kind: Kind, subscription: NonNullable<Step["subscription"]>): void
  onSent(kind: Kind, bytes: number): void
  onNack(kind: Kind, text: string): void
  onAcked(kind: Kind, milliseconds: number): void
}

/** Responses that may be under way to one client; what changes meanwhile is merged and waits. */
const underWayLimit = 4
/** Envoy prints whole messages into its refusals. */
const longestNack = 4_096

/** One stream: a watch of each kind, what waits to be told, and what was told. Nothing in it grows with the number of changes. */
export class Session {
  readonly client: XdsClient
  readonly protocol: Protocol
  readonly watches: Readonly<Record<Kind, Watch>>
  readonly log = new SentLog()
  readonly #options: SessionOptions
  readonly #pending = new Pending()
  #underWay = 0
  #nonce = 0

  constructor(options: SessionOptions) {
    this.#options = options
    this.client = options.client
    this.protocol = options.protocol
    this.watches = {
      cluster: new Watch("cluster"),
      endpoint: new Watch("endpoint"),
      listener: new Watch("listener"),
      route: new Watch("route"),
    }
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
    const capped = request.error === undefined ? request : { ...request, error: request.error.slice(0, longestNack) }
    const step = "names" in capped ? sotwRequest(watch, capped, offer) : deltaRequest(watch, capped, offer)
    this.#note(kind, step)
    this.#carryOut(kind, step, offer, [])
    if (step.subscription !== undefined) this.#options.onInterest(this, kind, step.subscription)
    this.pump()
  }

  /** Something about these names may have changed. Sent by the next `pump`. */
  touch(kind: Kind, names: Iterable<string>, trace?: Tracked): void {
    this.#pending.add(kind, names, trace)
  }

  /** Sends what waits, in the order of kinds, as long as the client takes it. */
  pump(): void {
    for (const kind of kinds) {
      if (this.blocked) return
      const work = this.#pending.take(kind)
      const watch = this.watches[kind]
      if (work === undefined || !watch.asked) continue
      const offer = this.#options.offer(kind)
      const change = this.protocol === "sotw" ? sotwChange : deltaChange
      this.#carryOut(kind, change(watch, work.names, work.forced, offer), offer, work.traces)
    }
  }

  #note(kind: Kind, { verdict }: Step): void {
    if (verdict?.is === "nack") this.#options.onNack(kind, verdict.text)
    if (verdict === undefined) return
    const now = this.#options.elapsed()
    for (const trace of this.log.judged(kind, verdict, now)) this.#options.onAcked(kind, trace.acked())
  }

  #carryOut(kind: Kind, step: Step, offer: FullOffer, traces: readonly Tracked[]): void {
    const response = step.answer && this.#respond(kind, step.answer, offer)
    const nonce = String(response?.nonce ?? "")
    this.watches[kind].take(step, offer, nonce)
    if (step.answer === undefined || response === undefined) return
    const { bytes } = response
    this.log.sent(kind, { nonce, at: this.#options.elapsed(), bytes: bytes.length, traces })
    for (const trace of traces) trace.sent()
    this.#options.onSent(kind, bytes.length)
    if (kind === "cluster") this.#endpointsAfter(step.answer.changed)
    this.#underWay++
    this.#options.write(bytes, () => {
      const waited = this.blocked
      this.#underWay--
      if (waited) this.pump()
    })
  }

  #respond(kind: Kind, { names, removed }: Answer, offer: FullOffer): SharedResponse {
    const resources = names.map((name) => offer.find(name)).filter((one) => one !== undefined)
    const response = this.#options.respond({ protocol: this.protocol, kind, resources, removed }, this.#nonce)
    this.#nonce = response.nonce
    return response
  }

  /**
   * A cluster that is new or changed is warm only when endpoints come after it, the same ones too; by delta nobody asks for them.
   * Envoy takes those of a cluster that it has not asked for yet, so that a route may follow at once; gRPC asks by itself.
   */
  #endpointsAfter(clusters: readonly string[]): void {
    const { asked, names } = this.watches.endpoint
    if (!asked) return
    const eager = this.client.generator === "envoy"
    this.#pending.force(
      "endpoint",
      clusters.filter((name) => (eager || names.has(name)) && this.#options.waitsForEndpoints(name)),
    )
  }
}
