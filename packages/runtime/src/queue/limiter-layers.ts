import { type Clock, type Duration, milliseconds } from "@pilothouse/seams"
import { bucketLimiter } from "./bucket-limiter.ts"
import { exponentialLimiter, failureCounts, type Limiter } from "./limiters.ts"

/** The longest of several waits. Each of the limiters counts every failure. */
export function maxOf(...limiters: readonly Limiter[]): Limiter {
  return {
    delay: (key) => Math.max(...limiters.map((limiter) => limiter.delay(key))),
    failures: (key) => Math.max(...limiters.map((limiter) => limiter.failures(key))),
    forget: (key) => limiters.forEach((limiter) => void limiter.forget(key)),
  }
}

/** Never longer than this; a key that is given up stays given up. */
export function withMaxDelay(limiter: Limiter, maxDelay: Duration): Limiter {
  const limit = milliseconds(maxDelay)
  const limited = (delay: number) => (delay === Number.POSITIVE_INFINITY ? delay : Math.min(delay, limit))
  return { ...limiter, delay: (key) => limited(limiter.delay(key)) }
}

/** Gives a key up after so many failures, as most loops of kube-controller-manager do after 15: the next event of the object starts anew. */
export function withMaxRetries(limiter: Limiter, maxRetries: number): Limiter {
  const counted = failureCounts()
  return {
    failures: counted.failures,
    delay: (key) => (counted.count(key) > maxRetries ? Number.POSITIVE_INFINITY : limiter.delay(key)),
    forget(key) {
      counted.forget(key)
      limiter.forget(key)
    },
  }
}

/** What client-go gives a controller that asks for nothing else: 5 ms to 1000 s per key, and 10 a second with a burst of 100 for all of them. */
export function defaultLimiter(clock: Clock): Limiter {
  return maxOf(exponentialLimiter(), bucketLimiter(clock))
}
