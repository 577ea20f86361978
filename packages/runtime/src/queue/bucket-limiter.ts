import type { Clock } from "@pilothouse/seams"
import type { Limiter } from "./limiters.ts"
import { TokenBucket } from "./token-bucket.ts"

/** How fast a bucket fills, and how much it holds. */
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
  const bucket = new TokenBucket(clock, { perSecond, burst })
  // The bucket does not know keys.
  return { delay: () => bucket.take(), forget: () => {}, failures: () => 0 }
}
