import { RetryAfterError } from "@pilothouse/runtime"
import { type Clock, messageOf } from "@pilothouse/seams"

/** Milliseconds until the next check whether the object exists: the response may have been lost. */
const recheckDelay = 10_000

interface InFlightCreate {
  readonly error: unknown
  /** From then on another create is allowed. */
  readonly until: number
}

/**
 * Creates that have no response yet and that no caller waits for any more, by the UIDs of their owners.
 * Invariant: entries that had expired when the last one was added are removed.
 */
export class InFlightCreates {
  readonly #clock: Clock
  readonly #of = new Map<string, InFlightCreate>()

  /** Milliseconds for which nothing else is made for them. */
  readonly #grace: number

  constructor(clock: Clock, grace: number) {
    this.#clock = clock
    this.#grace = grace
  }

  /** What it gives is called when there is an answer. */
  add(uids: readonly string[], error: unknown): () => void {
    const now = this.#clock.elapsed()
    for (const [uid, { until }] of this.#of) if (until <= now) this.#of.delete(uid)
    const one = { error, until: now + this.#grace }
    for (const uid of uids) this.#of.set(uid, one)
    return () => {
      // Of two calls for one the later one counts.
      for (const uid of uids) if (this.#of.get(uid) === one) this.#of.delete(uid)
    }
  }

  /** The object exists, though its response was not received. */
  found(uid: string): void {
    this.#of.delete(uid)
  }

  /** Returns the error that the waiting caller received, with the time to retry after; undefined: another create is allowed. */
  of(uid: string): RetryAfterError | undefined {
    const one = this.#of.get(uid)
    const left = one === undefined ? 0 : one.until - this.#clock.elapsed()
    return left <= 0 ? undefined : new RetryAfterError(Math.min(recheckDelay, left), messageOf(one?.error))
  }
}
