import type { Better, Row } from "../../benches/bench.ts"
import { directionOf } from "../../benches/beside.ts"
import { median, spread } from "./statistics.ts"

/**
 * - regression: worse by more than 5 % and by more than the spread;
 * - improvement: the same in the other direction;
 * - unclear: apart by more than 5 %, but within the spread: more rounds or a quieter machine decide;
 * - same: not more than 5 % apart;
 * - not judged: a figure of the machine.
 */
export type Verdict = "regression" | "improvement" | "unclear" | "same" | "not judged"

/** The values of one row in all rounds of one tree. */
export interface Measured {
  readonly values: readonly number[]
  readonly median: number
  /** The distance between the quartiles as a part of the median. */
  readonly spread: number
}

export interface ComparedRow {
  readonly what: string
  readonly unit: string
  readonly better: Better
  readonly here: Measured
  readonly base: Measured
  /** The median here divided by that of the base: below 1 is better for times and memory, above 1 for rates. */
  readonly ratio: number
  readonly verdict: Verdict
}

/** A ratio nearer to 1 than this is no regression however steady the values are. */
const tolerance = 0.05

/** Compares the values that one row had in the rounds of both trees. */
export function compareRow(row: Pick<Row, "what" | "unit" | "better">, here: readonly number[], base: readonly number[]): ComparedRow {
  const better = directionOf(row)
  const [ofHere, ofBase] = [measured(here), measured(base)]
  const ratio = ratioOf(ofHere.median, ofBase.median)
  // Of a quotient of two medians. With seven rounds it is about three standard errors, so that one of 300 steady rows is a false alarm.
  const noise = Math.hypot(ofHere.spread, ofBase.spread)
  return { what: row.what, unit: row.unit, better, here: ofHere, base: ofBase, ratio, verdict: verdictOf(better, ratio, noise) }
}

/** What a ratio (this tree divided by the base) means where it spreads so much. */
export function verdictOf(better: Better, ratio: number, noise: number): Verdict {
  if (better === "neither") return "not judged"
  // How many times as bad as the base: 1.1 is 10 % slower, larger, or fewer in a second.
  const worse = better === "lower" ? ratio : 1 / ratio
  const apart = Math.max(worse, 1 / worse) - 1
  // 1.05 / 1 - 1 is a little more than 0.05 in binary.
  if (apart <= tolerance + 1e-9) return "same"
  if (apart <= noise) return "unclear"
  return worse > 1 ? "regression" : "improvement"
}

function measured(values: readonly number[]): Measured {
  return { values, median: median(values), spread: spread(values) }
}

/** Nothing to nothing, such as lost nodes on both sides, is no change. */
function ratioOf(here: number, base: number): number {
  return here === base ? 1 : here / base
}
