import { RetryAfterError } from "@pilothouse/runtime"
import { type Clock, messageOf } from "@pilothouse/seams"

/** Milliseconds until somebody looks again whether it is there: the answer may be lost on its way. */
const recheckDelay = 10_000

interface InFlightCreate {
  readonly error: unknown
  /** Whoever waits until then may ask for another. */
  readonly until: number
}

/**
 * Those for whom something was asked for in a call that nobody waits for any more, and that the cloud has not answered, by their UIDs.
 * Always true between calls: what was over when the last one came is forgotten.
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

  /** It is there, though nobody has heard the answer. */
  found(uid: string): void {
    this.#of.delete(uid)
  }

  /** What whoever waited for it was told, and when to ask again; undefined: another may be asked for. */
  of(uid: string): RetryAfterError | undefined {
    const one = this.#of.get(uid)
    const left = one === undefined ? 0 : one.until - this.#clock.elapsed()
    return left <= 0 ? undefined : new RetryAfterError(Math.min(recheckDelay, left), messageOf(one?.error))
  }
}
