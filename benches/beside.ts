import type { Better, Row } from "./bench.ts"

/** Ours beside theirs; without a peer there is no `theirs`. */
export interface Numbers {
  readonly ours: number
  readonly theirs?: number
}

/** Units of things done in a time are better when higher: "/s", "MB/s", "events per CPU-second". A time for each thing ("s/GB") is not one of them. */
const rate = /\/s$|per (CPU-)?second$/

/** The direction of a row: its own, or that of its unit. */
export function directionOf({ better, unit }: Pick<Row, "better" | "unit">): Better {
  return better ?? (rate.test(unit) ? "higher" : "lower")
}

/**
 * What ours costs, divided by what theirs costs: lower is better in every row. A rate counts by the time of one:
 * three times as many in a second are a ratio of 0.33.
 */
export function costRatio({ ours, theirs, ...row }: Pick<Row, "ours" | "theirs" | "unit" | "better">): number | undefined {
  if (theirs === undefined) return undefined
  return directionOf(row) === "higher" ? theirs / ours : ours / theirs
}

export function withoutGoal(what: string, unit: string, numbers: Numbers): Row {
  return { what, ...numbers, unit }
}

/** A row whose goal is a ratio of costs; without a peer there is nothing to hold it to. */
export function atMost(goal: number, what: string, unit: string, numbers: Numbers): Row {
  const row = withoutGoal(what, unit, numbers)
  const ratio = costRatio(row)
  return ratio === undefined ? row : { ...row, goal: `≤ ${goal} ×`, met: ratio <= goal }
}
