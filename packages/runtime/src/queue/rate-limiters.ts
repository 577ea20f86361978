import { type Clock, type Duration, milliseconds, TokenBucket } from "@pilothouse/seams"

/** Decides the delay of a key before its retry: client-go's rate limiter. */
export interface Limiter {
  /** Counts a failure of the key and returns the delay in milliseconds. Infinity: it is given up. */
  delay(key: string): number
  forget(key: string): void
  /** Failures of the key since it was last forgotten. */
  failures(key: string): number
}

/** The first and the maximum delay of a key. */
export interface ExponentialOptions {
  /** The first delay. */
  readonly base?: Duration
  readonly max?: Duration
}

/** base × 2^failures per key, client-go's ItemExponentialFailureRateLimiter: 5 ms, 10 ms, 20 ms … up to 1000 s. */
export function exponentialLimiter({ base = 5, max = 1_000_000 }: ExponentialOptions = {}): Limiter {
  const counted = failureCounts()
  const [first, limit] = [milliseconds(base), milliseconds(max)]
  // 2 ** 1024 is Infinity, which the limit cuts as it cuts everything else: no failure count overflows.
  return { ...counted, delay: (key) => Math.min(first * 2 ** (counted.count(key) - 1), limit) }
}

/** The short delay, how often it is used, and the long one. */
export interface FastSlowOptions {
  /** Delay of the first retries. */
  readonly fast: Duration
  /** Delay of later retries. */
  readonly slow: Duration
  /** Number of fast retries. */
  readonly tries: number
}

/** A few fast retries, then slow ones: client-go's ItemFastSlowRateLimiter. */
export function fastSlowLimiter({ fast, slow, tries }: FastSlowOptions): Limiter {
  const counted = failureCounts()
  const [soon, late] = [milliseconds(fast), milliseconds(slow)]
  return { ...counted, delay: (key) => (counted.count(key) <= tries ? soon : late) }
}

/** The same delay every time: for a controller that reconciles at an interval (the HPA: every 15 s). Keeps no state per key. */
export function fixedIntervalLimiter(interval: Duration): Limiter {
  const wait = milliseconds(interval)
  return { delay: () => wait, forget: () => {}, failures: () => 1 }
}

/** Rate and burst of a bucket. */
export interface BucketOptions {
  /** Retries per second in the long run; 10 by default. */
  readonly perSecond?: number
  /** Retries at once after a quiet time; 100 by default. */
  readonly burst?: number
}

/**
 * One token bucket for all keys, client-go's BucketRateLimiter: a queue of failing keys does not overload a server that just restarted.
 * Every retry takes a token; without one it reserves the next and waits for it.
 */
export function bucketLimiter(clock: Clock, { perSecond = 10, burst = 100 }: BucketOptions = {}): Limiter {
  const bucket = new TokenBucket(clock, { perSecond, burst })
  // The bucket does not know keys.
  return { delay: () => bucket.take(), forget: () => {}, failures: () => 0 }
}

/** The maximum delay of several limiters. Each of them counts every failure. */
export function maxOf(...limiters: readonly Limiter[]): Limiter {
  return {
    delay: (key) => Math.max(...limiters.map((limiter) => limiter.delay(key))),
    failures: (key) => Math.max(...limiters.map((limiter) => limiter.failures(key))),
    forget: (key) => limiters.forEach((limiter) => void limiter.forget(key)),
  }
}

/** Limits the delay; a key that is given up stays given up. */
export function withMaxDelay(limiter: Limiter, maxDelay: Duration): Limiter {
  const limit = milliseconds(maxDelay)
  const limited = (delay: number) => (delay === Number.POSITIVE_INFINITY ? delay : Math.min(delay, limit))
  return { ...limiter, delay: (key) => limited(limiter.delay(key)) }
}

/** Gives a key up after so many failures, as most controllers of kube-controller-manager do after 15; the next event of the object starts again. */
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

/** client-go's DefaultControllerRateLimiter: 5 ms to 1000 s per key, and 10 per second with a burst of 100 for all of them. */
export function defaultLimiter(clock: Clock): Limiter {
  return maxOf(exponentialLimiter(), bucketLimiter(clock))
}

/** Invariant: a key has a count exactly when it has failed since it was last forgotten. */
function failureCounts(): Pick<Limiter, "forget" | "failures"> & { count(key: string): number } {
  const failures = new Map<string, number>()
  return {
    count(key) {
      const now = (failures.get(key) ?? 0) + 1
      failures.set(key, now)
      return now
    },
    forget: (key) => void failures.delete(key),
    failures: (key) => failures.get(key) ?? 0,
  }
}
