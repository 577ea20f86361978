import type { Clock, Random } from "@pilothouse/seams"

export interface BackoffOptions {
  /** The first delay, in milliseconds. */
  readonly first?: number
  readonly max?: number
  /** A pause between failures longer than this resets the delay. */
  readonly resetAfter?: number
}

/**
 * Delays that double from 0.8 s to 30 s, each times a random factor from 1 to 2: a thousand clients of a restarted server do not return at once.
 *
 * Invariant: first <= #next <= longest.
 */
export class Backoff {
  readonly #clock: Clock
  readonly #random: Random
  readonly #options: Required<BackoffOptions>
  #next: number
  #last = Number.NEGATIVE_INFINITY

  constructor(clock: Clock, random: Random, { first = 800, max: longest = 30_000, resetAfter = 120_000 }: BackoffOptions = {}) {
    this.#clock = clock
    this.#random = random
    this.#options = { first, max: longest, resetAfter }
    this.#next = first
  }

  /** Resets the delay to the first one. */
  reset(): void {
    this.#next = this.#options.first
  }

  /** Returns the next delay, in milliseconds. */
  delay(): number {
    const { first, max: longest, resetAfter } = this.#options
    const now = this.#clock.elapsed()
    if (now - this.#last > resetAfter) this.#next = first
    const wait = this.#next * (1 + this.#random.next())
    this.#next = Math.min(this.#next * 2, longest)
    // The pause is counted from the end of the delay: a long delay is no success.
    this.#last = now + wait
    return wait
  }
}
