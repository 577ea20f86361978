import { isRoot } from "./kinds.ts"
import type { DeltaRequest } from "./request.ts"
import { type Answer, type Deferred, namesAtOnce, type Offer, type Step, type Subscription, type Verdict } from "./step.ts"
import { isSubscribed, type WatchState } from "./watch.ts"

/** Returns the step that a request of the incremental protocol causes. A stale nonce voids no subscription: each request has only the changes. */
export function deltaRequest(watch: WatchState, request: DeltaRequest, offer: Offer): Step {
  const subscription = subscriptionOf(watch, request)
  const verdict = verdictOf(watch, request)
  const held = watch.asked ? undefined : request.initialVersions
  const deferred = deferredNames(watch, request, subscription)
  const answer = answerTo(watch, deferred === undefined ? request : { ...request, subscribe: [], unsubscribe: [] }, subscription, offer)
  return {
    subscription,
    reason: watch.asked ? "subscription" : "first request",
    ...(verdict !== undefined && { verdict }),
    ...(held !== undefined && { held }),
    ...(answer !== undefined && { answer }),
    ...(deferred !== undefined && { deferred }),
  }
}

/** Returns the step that a change of these names causes; `forced` ones are sent even if the client has them. */
export function deltaChange(watch: WatchState, dirty: Iterable<string>, forced: ReadonlySet<string> | undefined, offer: Offer): Step {
  const names: string[] = []
  const removed: string[] = []
  for (const name of dirty) {
    const version = offer.find(name)?.version
    if (!forced?.has(name) && (!isSubscribed(watch, name) || version === watch.sentVersions.get(name))) continue
    if (version !== undefined) names.push(name)
    else if (watch.sentVersions.has(name) || forced?.has(name)) removed.push(name)
  }
  if (names.length === 0 && removed.length === 0) return { reason: "the client has it all" }
  return { reason: "resources changed", answer: { names, removed, whole: false, changed: names } }
}

function subscriptionOf(watch: WatchState, { subscribe, unsubscribe }: DeltaRequest): Subscription {
  const legacy = !watch.asked && subscribe.length === 0 && isRoot(watch.kind)
  const asked = new Set(subscribe)
  const gone = new Set(unsubscribe)
  // An implicit "*" goes on beside explicit names: only "unsubscribe *" ends it.
  const kept = watch.wildcard && !gone.has("*")
  return {
    wildcard: legacy || kept || asked.has("*"),
    named: subscribe.length > 0,
    added: [...asked].filter((name) => name !== "*" && !watch.names.has(name)),
    dropped: [...gone].filter((name) => watch.names.has(name) && !asked.has(name)),
  }
}

/** Nonces are numbers of this stream; an old one says nothing about the newest response, and a text that is none of ours nothing at all. */
function verdictOf(watch: WatchState, request: DeltaRequest): Verdict | undefined {
  if (request.nonce === "") return undefined
  const isNewest = request.nonce === watch.sent
  if (!isNewest && (!isNonce(request.nonce) || Number(request.nonce) > Number(watch.sent))) return undefined
  // The text that was sent, which all streams share, not the one that came back.
  const nonce = isNewest ? watch.sent : request.nonce
  if (request.error !== undefined) return { is: "nack", nonce, text: request.error }
  return nonce === watch.nacked || Number(nonce) < Number(watch.acked) ? undefined : { is: "ack", nonce }
}

function isNonce(text: string): boolean {
  return /^[1-9]\d{0,15}$/.test(text)
}

/** The names of a long request, which are answered in turns: on a new stream those that the client holds only where they differ. */
function deferredNames(watch: WatchState, request: DeltaRequest, { wildcard }: Subscription): Deferred | undefined {
  const { subscribe, unsubscribe, initialVersions } = request
  const left = wildcard ? unsubscribe : []
  if (subscribe.length + left.length <= namesAtOnce) return undefined
  const names = [...new Set([...subscribe, ...left])].filter((name) => name !== "*")
  if (watch.asked || initialVersions.size === 0) return { names: [], forced: names }
  return { names: names.filter((name) => initialVersions.has(name)), forced: names.filter((name) => !initialVersions.has(name)) }
}

function answerTo(watch: WatchState, request: DeltaRequest, subscription: Subscription, offer: Offer): Answer | undefined {
  const held = watch.asked ? watch.sentVersions : request.initialVersions
  const owed = new Set([...byName(watch, request, subscription, offer), ...byWildcard(watch, request, subscription, offer)])
  const names = [...owed].filter((name) => offer.find(name) !== undefined)
  const removed = [...owed].filter((name) => offer.find(name) === undefined)
  // A wildcard subscription waits for a response, if only an empty one.
  const waits = !watch.asked && subscription.wildcard && isRoot(watch.kind)
  if (owed.size === 0 && !waits) return undefined
  return { names, removed, whole: false, changed: names.filter((name) => differs(held, name, offer)) }
}

/** On a new stream the client says what it holds; later a name that is asked for again is answered again. */
function byName(watch: WatchState, request: DeltaRequest, { wildcard }: Subscription, offer: Offer): readonly string[] {
  const asked = request.subscribe.filter((name) => watch.asked || differs(request.initialVersions, name, offer))
  // What "*" still covers has not gone from the client's view.
  const left = wildcard ? request.unsubscribe : []
  return [...asked, ...left].filter((name) => name !== "*")
}

/** When everything is wanted from now on: what differs from what the client holds, and what is gone of it. */
function byWildcard(watch: WatchState, request: DeltaRequest, { wildcard }: Subscription, offer: Offer): readonly string[] {
  if (!wildcard || watch.wildcard) return []
  const held = watch.asked ? watch.sentVersions : request.initialVersions
  const gone = watch.asked ? [] : [...held.keys()].filter((name) => offer.find(name) === undefined)
  return [...[...offer.names()].filter((name) => differs(held, name, offer)), ...gone]
}

/** A name that does not exist differs always: its absence has to be sent. */
function differs(held: ReadonlyMap<string, string>, name: string, offer: Offer): boolean {
  const version = offer.find(name)?.version
  return version === undefined || held.get(name) !== version
}
