import type { Kind } from "./kinds.ts"
import type { Offer, Step, Subscription } from "./step.ts"

/** What a step reads. */
export interface WatchState {
  readonly kind: Kind
  /** A request of this kind came on this stream. */
  readonly asked: boolean
  readonly wildcard: boolean
  /** A name, be it "*", was asked for on this stream: from then on an empty list means nothing, not everything. */
  readonly everNamed: boolean
  /** Without "*". */
  readonly names: ReadonlySet<string>
  /** name → version that was last sent. Only of resources that the client subscribes to. */
  readonly sentVersions: ReadonlyMap<string, string>
  /** Of the newest response; "" before the first. */
  readonly sent: string
  readonly acked: string
  /** Of the newest response that was refused; "" for none. */
  readonly nacked: string
  readonly nackText: string
}

const noNames: ReadonlySet<string> = new Set()
const nothingSent: ReadonlyMap<string, string> = new Map()

/** What one stream subscribes to of one kind, and what it has. Changes only by `take`. */
export class Watch implements WatchState {
  readonly kind: Kind
  asked = false
  wildcard = false
  everNamed = false
  sent = ""
  acked = ""
  nacked = ""
  nackText = ""
  /** Made when there is something to keep: most clients subscribe to nothing of most kinds, and there may be very many clients. */
  #names: Set<string> | undefined
  #sentVersions: Map<string, string> | undefined

  constructor(kind: Kind) {
    this.kind = kind
  }

  get names(): ReadonlySet<string> {
    return this.#names ?? noNames
  }

  get sentVersions(): ReadonlyMap<string, string> {
    return this.#sentVersions ?? nothingSent
  }

  /** Carries a step out. `nonce` is that of the response which is sent, if the step has an answer. */
  take(step: Step, offer: Offer, nonce: string): void {
    this.#judge(step)
    this.#subscribe(step)
    for (const name of step.forget ?? []) this.#sentVersions?.delete(name)
    if (step.answer === undefined) return
    this.sent = nonce
    if (step.answer.whole) this.#sentVersions?.clear()
    for (const name of step.answer.removed) this.#sentVersions?.delete(name)
    for (const name of step.answer.names) if (isSubscribed(this, name)) this.#markSent(name, offer.find(name)?.version ?? "")
  }

  /** Carries out a part of a long subscription, whose other facts were taken before. `held`: what the client said it holds. */
  takePart({ added, dropped }: Pick<Subscription, "added" | "dropped">, held: ReadonlyMap<string, string> | undefined): void {
    this.#rename(added, dropped)
    if (this.wildcard) return
    for (const name of dropped) this.#sentVersions?.delete(name)
    for (const name of added) {
      const version = held?.get(name)
      if (version !== undefined) this.#markSent(name, version)
    }
  }

  #markSent(name: string, version: string): void {
    this.#sentVersions ??= new Map()
    this.#sentVersions.set(name, version)
  }

  #judge({ verdict }: Step): void {
    if (verdict?.is === "ack") {
      this.acked = verdict.nonce
      this.nackText = ""
    } else if (verdict?.is === "nack") {
      this.nacked = verdict.nonce
      this.nackText = verdict.text
    }
  }

  #subscribe({ subscription, held }: Step): void {
    if (held !== undefined) for (const [name, version] of held) this.#markSent(name, version)
    if (subscription === undefined) return
    const { wildcard, named, added, dropped } = subscription
    this.asked = true
    if (named) this.everNamed = true
    const wasWildcard = this.wildcard
    this.wildcard = wildcard
    this.#rename(added, dropped)
    if (wildcard) return
    for (const name of dropped) this.#sentVersions?.delete(name)
    if (wasWildcard || held !== undefined)
      for (const name of this.sentVersions.keys()) if (!this.names.has(name)) this.#sentVersions?.delete(name)
  }

  #rename(added: readonly string[], dropped: readonly string[]): void {
    if (added.length > 0) this.#names ??= new Set()
    for (const name of added) this.#names?.add(name)
    for (const name of dropped) this.#names?.delete(name)
  }
}

/** Reports whether the watch subscribes to the name. */
export function isSubscribed(watch: WatchState, name: string): boolean {
  return watch.wildcard || watch.names.has(name)
}
