import { type Duration, milliseconds } from "@pilothouse/seams"

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
