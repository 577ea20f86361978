/** What an unbounded size or cost counts as: the largest number of 64 bits. */
export const unbounded = 2 ** 64

/** A size or a cost that is known by its bounds. Invariant: 0 ≤ min ≤ max ≤ unbounded. */
export interface Interval {
  readonly min: number
  readonly max: number
}

/** A size or a cost of which nothing is known. */
export const unknownInterval: Interval = { min: 0, max: unbounded }

export const zero: Interval = { min: 0, max: 0 }
export const one: Interval = { min: 1, max: 1 }

/** Returns the interval of one number. */
export function exactly(value: number): Interval {
  return { min: value, max: value }
}

/** Adds bounds, up to `unbounded`. */
export function add(...intervals: readonly Interval[]): Interval {
  let [min, max] = [0, 0]
  for (const interval of intervals) {
    min += interval.min
    max += interval.max
  }
  return { min: Math.min(min, unbounded), max: Math.min(max, unbounded) }
}

/** Multiplies bounds, up to `unbounded`. */
export function multiply(left: Interval, right: Interval): Interval {
  return { min: Math.min(left.min * right.min, unbounded), max: Math.min(left.max * right.max, unbounded) }
}

/** Multiplies bounds by a factor and rounds up. */
export function scale({ min, max }: Interval, factor: number): Interval {
  return { min: Math.min(Math.ceil(min * factor), unbounded), max: Math.min(Math.ceil(max * factor), unbounded) }
}

/** Returns the smallest interval that holds both. */
export function union(left: Interval, right: Interval): Interval {
  return { min: Math.min(left.min, right.min), max: Math.max(left.max, right.max) }
}
