import type { Clock } from "@pilothouse/seams"

/** How many tokens there are. */
export interface TokenBucketOptions {
  /** Tokens per second in the long run. */
  readonly perSecond: number
  /** Tokens that may be taken at once after a quiet time. */
  readonly burst: number
}

/**
 * Whoever finds no token takes one in advance, and waits until it would have been there.
 *
 * Always true between calls: #tokens <= burst; below zero, that many already wait for their turn.
 */
export class TokenBucket {
  readonly #clock: Pick<Clock, "elapsed">
  readonly #options: TokenBucketOptions
  #tokens: number
  #counted: number

  constructor(clock: Pick<Clock, "elapsed">, options: TokenBucketOptions) {
    this.#clock = clock
    this.#options = options
    this.#tokens = options.burst
    this.#counted = clock.elapsed()
  }

  /** Takes one, and says how long to wait for it, in milliseconds. */
  take(): number {
    const { perSecond, burst } = this.#options
    const now = this.#clock.elapsed()
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#counted) * perSecond) / 1000) - 1
    this.#counted = now
    return this.#tokens >= 0 ? 0 : (-this.#tokens * 1000) / perSecond
  }

  /** Takes one that is there. False, and none is taken in advance, where there is none: for callers that refuse instead of waiting. */
  tryTake(): boolean {
    if (this.take() === 0) return true
    this.refund()
    return false
  }

  /** Who does not go gives the place back. */
  refund(): void {
    this.#tokens++
  }
}
