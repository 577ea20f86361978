import type { Clock } from "./clock.ts"

/** Rate and burst. */
export interface TokenBucketOptions {
  /** Tokens per second in the long run. */
  readonly perSecond: number
  /** Tokens available at once after a quiet time. */
  readonly burst: number
}

/**
 * A token bucket with reservations: a caller that finds no token reserves the next one and waits for it.
 *
 * Invariant: #tokens <= burst; below zero, that many callers wait for their reservation.
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

  /** Takes a token and returns how long to wait for it, in milliseconds. */
  take(): number {
    const { perSecond, burst } = this.#options
    const now = this.#clock.elapsed()
    this.#tokens = Math.min(burst, this.#tokens + ((now - this.#counted) * perSecond) / 1000) - 1
    this.#counted = now
    return this.#tokens >= 0 ? 0 : (-this.#tokens * 1000) / perSecond
  }

  /** Takes an available token. Returns false, without a reservation, where there is none: for callers that refuse instead of waiting. */
  tryTake(): boolean {
    if (this.take() === 0) return true
    this.refund()
    return false
  }

  /** Returns a token that is not used. */
  refund(): void {
    this.#tokens++
  }
}
