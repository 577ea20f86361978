import { type Clock, type Duration, milliseconds, type Random } from "@pilothouse/seams"
import type { Limiter } from "../queue/rate-limiters.ts"

/** Delays and deadline of retries. */
export interface RetryUntilOptions {
  /** From the first failure to the last retry; 180 s by default. */
  readonly deadline?: Duration
  /** The minimum delay, and the unit of longer ones; 3 s by default. */
  readonly interval?: Duration
  /** The delay after the first failure; the interval by default. Most failures of a cloud are brief. */
  readonly first?: Duration
}

/** 2^30 intervals are longer than any deadline. */
const maxDoublings = 30

/**
 * A limiter with a random delay of 1 to 2^n - 1 intervals after failure n, so that keys that failed together are not retried together: 3 s; 3 to 9 s; 3 to 21 s …
 * The last delay ends at the deadline; a failure after that gives the key up.
 */
export function retryUntil(
  { deadline = "180s", interval = "3s", first = interval }: RetryUntilOptions,
  clock: Clock,
  random: Random,
): Limiter {
  const [limit, unit, soonest] = [milliseconds(deadline), milliseconds(interval), milliseconds(first)]
  const failed = new Map<string, { readonly since: number; count: number }>()
  return {
    delay(key) {
      const one = failed.get(key) ?? { since: clock.elapsed(), count: 0 }
      failed.set(key, one)
      one.count++
      const left = one.since + limit - clock.elapsed()
      if (left <= 0) return Number.POSITIVE_INFINITY
      if (one.count === 1) return Math.min(soonest, left)
      const wait = unit * (1 + random.int(Math.max(1, 2 ** Math.min(one.count, maxDoublings) - 1)))
      return Math.max(Math.min(wait, left), Math.min(unit, left))
    },
    forget: (key) => void failed.delete(key),
    failures: (key) => failed.get(key)?.count ?? 0,
  }
}
