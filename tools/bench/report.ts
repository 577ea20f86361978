import type { Row } from "../../benches/bench.ts"
import type { Comparison } from "./compare-trees.ts"

/** The rows of one run, as console.table shows them. */
export function runTable(rows: readonly Row[]): readonly object[] {
  return rows.map(({ what, note, ours, theirs, unit, ratio, goal, met }) => ({
    what: note === undefined ? what : `${what} (${note})`,
    ours: round(ours),
    theirs: theirs && round(theirs),
    unit,
    ratio: ratio && round(ratio),
    goal,
    met,
  }))
}

/** The rows of a comparison, as console.table shows them. */
export function comparisonTable({ rows }: Comparison): readonly object[] {
  return rows.map(({ what, unit, better, here, base, ratio, verdict }) => ({
    what,
    unit,
    better,
    "this tree": round(here.median),
    base: round(base.median),
    spread: `± ${percent(here.spread)} / ${percent(base.spread)}`,
    ratio: round(ratio),
    verdict,
  }))
}

/** What stands under the table of a comparison: what was not compared, and the sum of the verdicts. */
export function comparisonLines({ name, base, rounds, rows, unmatched }: Comparison): readonly string[] {
  const regressions = rows.filter(({ verdict }) => verdict === "regression")
  const count = (of: string) => rows.filter(({ verdict }) => verdict === of).length
  return [
    ...unmatched,
    ...regressions.map(({ what, ratio, unit }) => `REGRESSION ${what}: ${round(ratio)} × the base (${unit})`),
    `${name} against ${base.slice(0, 12)}, ${rounds} rounds: ${rows.length} rows, ${regressions.length} regressions, ${count("improvement")} improvements, ${count("unclear")} unclear`,
  ]
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)} %`
}

function round(value: number): number {
  return Number(value.toPrecision(3))
}
