/** Decides how long a key waits before it is tried again. */
export interface Limiter {
  /** Counts one more failure of the key and says how long to wait, in milliseconds. Infinity: not at all, it was tried often enough. */
  delay(key: string): number
  forget(key: string): void
  /** Failures of the key since it was last forgotten. */
  failures(key: string): number
}

export interface ExponentialOptions {
  /** The first delay, in milliseconds. */
  readonly base?: number
  readonly longest?: number
}

/** base × 2^failures per key, as client-go has it: 5 ms, 10 ms, 20 ms … up to 1000 s. */
export function exponentialLimiter({ base = 5, longest = 1_000_000 }: ExponentialOptions = {}): Limiter {
  const counted = failureCounts()
  // 2 ** 1024 is Infinity, which the limit cuts as it cuts everything else: no failure count overflows.
  return { ...counted, delay: (key) => Math.min(base * 2 ** (counted.count(key) - 1), longest) }
}

export interface FastSlowOptions {
  /** Milliseconds before each of the first tries. */
  readonly fast: number
  /** Milliseconds before each of the later ones. */
  readonly slow: number
  /** How many tries are fast. */
  readonly tries: number
}

/** A few quick tries, then a slow beat. */
export function fastSlowLimiter({ fast, slow, tries }: FastSlowOptions): Limiter {
  const counted = failureCounts()
  return { ...counted, delay: (key) => (counted.count(key) <= tries ? fast : slow) }
}

/** The same wait every time: a controller that looks at its objects on a beat (the HPA: every 15 s). Keeps nothing per key. */
export function fixedIntervalLimiter(milliseconds: number): Limiter {
  return { delay: () => milliseconds, forget: () => {}, failures: () => 1 }
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
