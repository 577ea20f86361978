import type { Resource } from "./resource.ts"

/** The resources of one kind that one client can receive. The same question gets the same answer during one step. */
export interface Offer {
  /** Undefined where there is none, or none for this client. */
  find(name: string): Pick<Resource, "name" | "version"> | undefined
  /** Everything that "*" means. */
  names(): Iterable<string>
}

/** What a step sends. */
export interface Answer {
  /** In the order in which they are sent; no name twice. */
  readonly names: readonly string[]
  /** For delta only. */
  readonly removed: readonly string[]
  /** It is the state of the world: what is not in it is gone. */
  readonly whole: boolean
  /** Those of `names` that the client did not have in this version. */
  readonly changed: readonly string[]
}

/** Names that one request may add and have answered at once; those of a longer one are answered in turns. */
export const namesAtOnce = 1_000

/** What a long request adds: sent in several responses, each in a turn of its own. */
export interface Deferred {
  /** Answered where they differ from what the client holds. */
  readonly names: readonly string[]
  /** Answered in any case: also where there is no such resource. */
  readonly forced: readonly string[]
}

/** How a request changes the subscription of one kind. */
export interface Subscription {
  readonly wildcard: boolean
  /** A name was asked for, be it "*". */
  readonly named: boolean
  readonly added: readonly string[]
  readonly dropped: readonly string[]
}

/** The answer of a client to a response, by its nonce. */
export type Verdict =
  | { readonly is: "ack"; readonly nonce: string }
  | { readonly is: "nack"; readonly nonce: string; readonly text: string }

/** What a request means: decided without touching anything, carried out by `Watch.take`. */
export interface Step {
  readonly reason: string
  readonly verdict?: Verdict
  readonly subscription?: Subscription
  /** What the client said it holds; replaces what we believe. */
  readonly held?: ReadonlyMap<string, string>
  readonly answer?: Answer
  /** In addition to `answer`. */
  readonly deferred?: Deferred
  /** Resources that are gone without a response. */
  readonly forget?: readonly string[]
}

/** Names that are subscribed to or unsubscribed from in one turn of the event loop: some 10 ms of work. */
export const namesPerPart = 5_000

/** A part of what a long request changes. */
export interface SubscriptionPart {
  readonly added: readonly string[]
  readonly dropped: readonly string[]
  readonly deferred: Deferred
}

/** Reports whether a request changes more than is carried out in one turn. */
export function isLong({ subscription, deferred }: Step): boolean {
  const changed = (subscription?.added.length ?? 0) + (subscription?.dropped.length ?? 0)
  return changed + (deferred?.names.length ?? 0) + (deferred?.forced.length ?? 0) > 2 * namesPerPart
}

/**
 * Divides what a long request changes. What is dropped comes first, so that one that exchanges all names stays within its limits; what is answered comes last,
 * when the client is subscribed to it.
 */
export function* partsOf({ subscription, deferred }: Step): IterableIterator<SubscriptionPart> {
  const none: SubscriptionPart = { added: [], dropped: [], deferred: { names: [], forced: [] } }
  for (const dropped of slices(subscription?.dropped)) yield { ...none, dropped }
  for (const added of slices(subscription?.added)) yield { ...none, added }
  for (const names of slices(deferred?.names)) yield { ...none, deferred: { names, forced: [] } }
  for (const forced of slices(deferred?.forced)) yield { ...none, deferred: { names: [], forced } }
}

function* slices(names: readonly string[] = []): IterableIterator<readonly string[]> {
  for (let at = 0; at < names.length; at += namesPerPart) yield names.slice(at, at + namesPerPart)
}
