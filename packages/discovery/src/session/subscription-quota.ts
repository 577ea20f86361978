import { PilothouseError } from "@pilothouse/seams"
import type { DeltaRequest, SotwRequest } from "../xds/request.ts"
import type { Subscription } from "../xds/step.ts"

/** How many resource names clients may subscribe to. */
export interface SubscriptionLimits {
  /** In one stream: three ports of 15,000 Services, and some. */
  readonly perStream: number
  /** In all streams together, beyond the guaranteed ones. A name takes some 250 bytes. */
  readonly total: number
  /** In each stream, however many the other streams have: a client with many names cannot shut out the others. */
  readonly guaranteed: number
}

const defaultLimits: SubscriptionLimits = { perStream: 50_000, total: 2_000_000, guaranteed: 1_000 }

/** Characters of all names in one stream: as many as four of the largest requests have, one of each kind. */
const maxCharacters = 16 * 1024 * 1024

/** A client subscribes to more than is allowed: RESOURCE_EXHAUSTED. */
export class SubscriptionLimitExceeded extends PilothouseError {
  constructor(expected: string, advice: string) {
    super("INVALID", `expected ${expected}, found more; ${advice}`)
  }
}

/**
 * Limits the names that all streams subscribe to.
 *
 * Invariant: `extra` is the sum of the names that each open stream has beyond the guaranteed ones.
 */
export class SubscriptionQuota {
  readonly limits: SubscriptionLimits
  extra = 0

  constructor(limits: Partial<SubscriptionLimits> = {}) {
    this.limits = { ...defaultLimits, ...limits }
  }

  open(): StreamQuota {
    return new StreamQuota(this)
  }
}

/** The part of one stream. Invariant: `#names` and `#characters` are those of its subscriptions, of all kinds. */
export class StreamQuota {
  readonly #quota: SubscriptionQuota
  #names = 0
  #characters = 0

  constructor(quota: SubscriptionQuota) {
    this.#quota = quota
  }

  /** Refuses a request that is too long by itself, before anything is made of its names. */
  check(request: SotwRequest | DeltaRequest): void {
    const { perStream } = this.#quota.limits
    const lengths =
      "names" in request ? [request.names.length] : [request.subscribe.length, request.unsubscribe.length, request.initialVersions.size]
    if (lengths.some((length) => length > perStream)) throw tooManyNames(perStream)
  }

  /** Counts a change. By delta each request adds to those before it, so that its own size limits nothing. */
  charge({ added, dropped }: Pick<Subscription, "added" | "dropped">): void {
    const { perStream, total } = this.#quota.limits
    const names = this.#names + added.length - dropped.length
    let characters = this.#characters
    for (const name of added) characters += name.length
    for (const name of dropped) characters -= name.length
    const more = this.#extra(names) - this.#extra(this.#names)
    if (characters > maxCharacters)
      throw new SubscriptionLimitExceeded(`names of at most ${maxCharacters} characters in one stream`, "subscribe to fewer")
    if (names > perStream) throw tooManyNames(perStream)
    if (more > 0 && this.#quota.extra + more > total)
      throw new SubscriptionLimitExceeded(
        `at most ${total} names in all streams of this server`,
        `subscribe to at most ${this.#quota.limits.guaranteed}, or try another replica`,
      )
    this.#quota.extra += more
    this.#names = names
    this.#characters = characters
  }

  /** The stream is over. */
  release(): void {
    this.#quota.extra -= this.#extra(this.#names)
    this.#names = 0
    this.#characters = 0
  }

  #extra(names: number): number {
    return Math.max(0, names - this.#quota.limits.guaranteed)
  }
}

function tooManyNames(limit: number): SubscriptionLimitExceeded {
  return new SubscriptionLimitExceeded(`at most ${limit} names in one stream`, "subscribe to fewer, or use several streams")
}
