const shortest = 10_000
const longest = 600_000

/** So many failures one after the other give the longest delay: 10 s × 2⁶ is more than 10 min. More of them change nothing. */
export const failuresThatCount = 7

/** Failures since the last success. */
export interface Failures {
  readonly count: number
  /** When the last of them was, in milliseconds since 1970. */
  readonly last: number
}

export const noFailures: Failures = { count: 0, last: 0 }

/** Milliseconds until a pod may be made again: 10 s after the first failure, twice as long after each more, at most 10 min. */
export function untilNextTry({ count, last }: Failures, now: number): number {
  if (count === 0) return 0
  const delay = Math.min(shortest * 2 ** (count - 1), longest)
  return Math.max(0, last + delay - now)
}
