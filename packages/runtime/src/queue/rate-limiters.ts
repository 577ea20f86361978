import { type Clock, type Duration, milliseconds } from "@pilothouse/seams"
import { TokenBucket } from "./token-bucket.ts"

/** Decides how long a key waits before it is tried again. */
export interface Limiter {
  /** Counts one more failure of the key and says how long to wait, in milliseconds. Infinity: not at all, it was tried often enough. */
  delay(key: string): number
  forget(key: string): void
  /** Failures of the key since it was last forgotten. */
  failures(key: string): number
}

/** The first wait of a key, and the longest. */
export interface ExponentialOptions {
  /** The first delay. */
  readonly base?: Duration
  readonly max?: Duration
}

/** base × 2^failures per key, as client-go has it: 5 ms, 10 ms, 20 ms … up to 1000 s. */
export function exponentialLimiter({ base = 5, max = 1_000_000 }: ExponentialOptions = {}): Limiter {
  const counted = failureCounts()
  const [first, limit] = [milliseconds(base), milliseconds(max)]
  // 2 ** 1024 is Infinity, which the limit cuts as it cuts everything else: no failure count overflows.
  return { ...counted, delay: (key) => Math.min(first * 2 ** (counted.count(key) - 1), limit) }
}

/** The short wait, how often it is taken, and the long one. */
export interface FastSlowOptions {
  /** Before each of the first tries. */
  readonly fast: Duration
  /** Before each of the later ones. */
  readonly slow: Duration
  /** How many tries are fast. */
  readonly tries: number
}

/** A few quick tries, then a slow beat. */
export function fastSlowLimiter({ fast, slow, tries }: FastSlowOptions): Limiter {
  const counted = failureCounts()
  const [soon, late] = [milliseconds(fast), milliseconds(slow)]
  return { ...counted, delay: (key) => (counted.count(key) <= tries ? soon : late) }
}

/** The same wait every time: a controller that looks at its objects on a beat (the HPA: every 15 s). Keeps nothing per key. */
export function fixedIntervalLimiter(interval: Duration): Limiter {
  const wait = milliseconds(interval)
  return { delay: () => wait, forget: () => {}, failures: () => 1 }
}

/** Always true between calls: a key stands here exactly when it has failed since it was last forgotten. */
export function failureCounts(): Pick<Limiter, "forget" | "failures"> & { count(key: string): number } {
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
