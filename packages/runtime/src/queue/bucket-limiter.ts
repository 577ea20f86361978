import type { Clock } from "@pilothouse/seams"
import type { Limiter } from "./limiters.ts"

export interface BucketOptions {
  /** Tries per second in the long run; 10 unless told otherwise. */
  readonly perSecond?: number
  /** Tries that may come at once after a quiet time; 100 unless told otherwise. */
  readonly burst?: number
}

/**
 * One bucket of tokens for all keys: a whole queue of failing keys does not hammer a server that just came back.
 * Every try takes a token; a try that finds none takes it in advance and waits until it would have been there.
 */
export function bucketLimiter(clock: Clock, { perSecond = 10, burst = 100 }: BucketOptions = {}): Limiter {
  // Always true between calls: tokens <= burst; below zero, that many tries already wait for their turn.
  let tokens = burst
  let counted = clock.elapsed()
  return {
    delay() {
      const now = clock.elapsed()
      tokens = Math.min(burst, tokens + ((now - counted) * perSecond) / 1000) - 1
      counted = now
      return tokens >= 0 ? 0 : (-tokens * 1000) / perSecond
    },
    // The bucket does not know keys.
    forget: () => {},
    failures: () => 0,
  }
}
