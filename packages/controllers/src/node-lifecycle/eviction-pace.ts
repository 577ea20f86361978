/**
 * Remembers when each zone last gave up a node, so that no zone does it faster than its rate allows. After a restart each may begin at once.
 *
 * Always true between calls: the time of a zone is that of the last try, whatever became of it: a write whose answer was lost may have happened.
 */
export class EvictionPace {
  readonly #last = new Map<string, number>()

  /** Undefined when it has given up none. */
  lastTry(zone: string): number | undefined {
    return this.#last.get(zone)
  }

  tried(zone: string, now: number): void {
    this.#last.set(zone, now)
  }
}

/** Milliseconds until the zone may give up another node; Infinity with a rate of 0. */
export function untilNextTry(last: number | undefined, rate: number, now: number): number {
  if (rate === 0) return Number.POSITIVE_INFINITY
  return last === undefined ? 0 : Math.max(0, Math.ceil(last + 1000 / rate - now))
}
