import { isRoot } from "./kinds.ts"
import type { SotwRequest } from "./request.ts"
import { type Answer, type Deferred, namesAtOnce, type Offer, type Step, type Subscription, type Verdict } from "./step.ts"
import { isSubscribed, type WatchState } from "./watch.ts"

/** Returns the step that a request of the state-of-the-world protocol causes. */
export function sotwRequest(watch: WatchState, request: SotwRequest, offer: Offer): Step {
  // A stale nonce says nothing about our newest response, but its names count: requests come in order, and a name that was dropped and asked for
  // again between two of our responses would else never be sent again.
  const subscription = isAsBefore(watch, request.names) ? asBefore : subscriptionOf(watch, new Set(request.names))
  const verdict = verdictOf(watch, request)
  const judged = { subscription, ...(verdict !== undefined && { verdict }) }
  const deferred = deferredNames(watch, subscription)
  if (deferred !== undefined) return { ...judged, deferred, reason: "many names were added" }
  const answered = answerTo(watch, subscription, offer)
  if (answered === undefined) return { ...judged, reason: "nothing new is wanted" }
  return { ...judged, answer: answered, reason: watch.asked ? "names were added" : "first request" }
}

/** Returns the step that a change of these names causes. `forced` ones are sent even if the client has them: a cluster that changed waits for its endpoints. */
export function sotwChange(watch: WatchState, dirty: Iterable<string>, forced: ReadonlySet<string> | undefined, offer: Offer): Step {
  const changed: string[] = []
  const gone: string[] = []
  for (const name of dirty) {
    const version = offer.find(name)?.version
    if (!forced?.has(name) && (!isSubscribed(watch, name) || version === watch.sentVersions.get(name))) continue
    if (version === undefined) gone.push(name)
    else changed.push(name)
  }
  if (changed.length === 0 && (gone.length === 0 || !isRoot(watch.kind))) return { reason: "the client has it all", forget: gone }
  if (isRoot(watch.kind)) return { reason: "the set changed", answer: wholeAnswer(watch, watch, offer) }
  return { reason: "resources changed", forget: gone, answer: { names: changed, removed: [], whole: false, changed } }
}

/** An ACK has the names that we know: nothing has to be compared one by one. Of one name only, as gRPC's clients and most of the rest have it. */
function isAsBefore({ wildcard, names }: WatchState, asked: readonly string[]): boolean {
  return !wildcard && asked.length === 1 && names.size === 1 && names.has(asked[0]!)
}

const asBefore: Subscription = { wildcard: false, named: true, added: [], dropped: [] }

function subscriptionOf(watch: WatchState, asked: ReadonlySet<string>): Subscription {
  const legacy = asked.size === 0 && isRoot(watch.kind) && !watch.everNamed
  const added = [...asked].filter((name) => name !== "*" && !watch.names.has(name))
  const dropped = [...watch.names].filter((name) => !asked.has(name))
  return { wildcard: legacy || asked.has("*"), named: asked.size > 0, added, dropped }
}

/** A request with the nonce of a refused response and no error may only change the names: it takes nothing back. */
function verdictOf(watch: WatchState, { nonce, error }: SotwRequest): Verdict | undefined {
  if (nonce === "" || nonce !== watch.sent) return undefined
  if (error !== undefined) return { is: "nack", nonce, text: error }
  // The text that was sent, which all streams share, not the one that came back.
  return nonce === watch.nacked ? undefined : { is: "ack", nonce: watch.sent }
}

/** Clusters and listeners are the state of the world: one response has to have them all. */
function deferredNames(watch: WatchState, { wildcard, added }: Subscription): Deferred | undefined {
  if (isRoot(watch.kind) || wildcard || added.length <= namesAtOnce) return undefined
  return { names: added, forced: [] }
}

function answerTo(watch: WatchState, subscription: Subscription, offer: Offer): Answer | undefined {
  const more = subscription.added.length > 0 || (subscription.wildcard && !watch.wildcard)
  if (!more) return undefined
  if (isRoot(watch.kind)) {
    const dropped = new Set(subscription.dropped)
    const names = new Set([...watch.names, ...subscription.added].filter((name) => !dropped.has(name)))
    return wholeAnswer(watch, { wildcard: subscription.wildcard, names }, offer)
  }
  const wanted = subscription.wildcard ? new Set([...offer.names(), ...subscription.added]) : subscription.added
  const names = [...wanted].filter((name) => offer.find(name) !== undefined)
  return names.length === 0 ? undefined : { names, removed: [], whole: false, changed: names }
}

function wholeAnswer(watch: WatchState, wanted: Pick<WatchState, "wildcard" | "names">, offer: Offer): Answer {
  const all = wanted.wildcard ? new Set([...offer.names(), ...wanted.names]) : wanted.names
  const names = [...all].filter((name) => offer.find(name) !== undefined)
  const changed = names.filter((name) => offer.find(name)?.version !== watch.sentVersions.get(name))
  return { names, removed: [], whole: true, changed }
}
