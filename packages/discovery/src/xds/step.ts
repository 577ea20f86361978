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

export interface Subscription {
  readonly wildcard: boolean
  /** A name was asked for, be it "*". */
  readonly named: boolean
  readonly added: readonly string[]
  readonly dropped: readonly string[]
}

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
