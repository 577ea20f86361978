import type { Clock, Random } from "@pilothouse/seams"

export interface BackoffOptions {
  /** The first wait, in milliseconds. */
  readonly first?: number
  readonly max?: number
  /** A pause between failures longer than this starts again from the first wait. */
  readonly resetAfter?: number
}

/**
 * Waits that double from 0.8 s to 30 s, each stretched by a random factor from 1 to 2: a thousand clients of a restarted server do not come back at once.
 *
 * Always true between calls: first <= #next <= longest.
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

  /** Something went well for long enough: the next wait is the first one again. */
  reset(): void {
    this.#next = this.#options.first
  }

  /** How long to wait this time, in milliseconds. */
  delay(): number {
    const { first, max: longest, resetAfter } = this.#options
    const now = this.#clock.elapsed()
    if (now - this.#last > resetAfter) this.#next = first
    const wait = this.#next * (1 + this.#random.next())
    this.#next = Math.min(this.#next * 2, longest)
    // The quiet time is counted from the end of the wait: a long wait is no success.
    this.#last = now + wait
    return wait
  }
}
