import { type Clock, type Duration, milliseconds, type Random } from "@pilothouse/seams"
import type { Limiter } from "../queue/rate-limiters.ts"

/** How often and how long something is tried. */
export interface RetryUntilOptions {
  /** From the first failure to the last try; 180 s unless told otherwise. */
  readonly deadline?: Duration
  /** The shortest wait, and the unit of the longer ones; 3 s unless told otherwise. */
  readonly interval?: Duration
  /** The wait after the first failure; the interval unless told otherwise. Most failures of a cloud are over in a moment. */
  readonly first?: Duration
}

/** 2^30 intervals are longer than any deadline. */
const maxDoublings = 30

/**
 * Waits 1 to 2^n - 1 intervals after failure n, by lot, so that those who failed together do not come back together: 3 s; 3 to 9 s; 3 to 21 s …
 * The last wait ends at the deadline; a failure after that is the last.
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
