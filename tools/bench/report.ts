import type { Row } from "../../benches/bench.ts"
import { costRatio } from "../../benches/beside.ts"
import type { Comparison } from "./compare-trees.ts"

/** A row of one run in words, for a terminal and for docs/benchmarks.md. */
export interface ReportedRow extends Record<string, string | undefined> {
  readonly what: string
  readonly ours: string
  readonly theirs?: string
  readonly unit: string
  readonly ratio?: string
  readonly goal?: string
  readonly met?: string
}

/** The rows of one run. */
export function runTable(rows: readonly Row[]): readonly ReportedRow[] {
  return rows.map((row) => {
    const ratio = costRatio(row)
    return {
      what: row.what,
      ours: shortNumber(row.ours),
      theirs: row.theirs === undefined ? undefined : shortNumber(row.theirs),
      unit: row.unit,
      ratio: ratio === undefined ? undefined : shortNumber(ratio),
      goal: row.goal,
      met: row.met === undefined ? undefined : row.met ? "yes" : "no",
    }
  })
}

/** The rows of a comparison. */
export function comparisonTable({ rows }: Comparison): readonly Readonly<Record<string, string>>[] {
  return rows.map(({ what, unit, better, here, base, ratio, verdict }) => ({
    what,
    unit,
    better,
    "this tree": shortNumber(here.median),
    base: shortNumber(base.median),
    spread: `± ${percent(here.spread)} / ${percent(base.spread)}`,
    ratio: shortNumber(ratio),
    verdict,
  }))
}

/** What stands under the table of a comparison: what was not compared, and the sum of the verdicts. */
export function comparisonLines({ name, base, rounds, rows, unmatched }: Comparison): readonly string[] {
  const regressions = rows.filter(({ verdict }) => verdict === "regression")
  const count = (of: string) => rows.filter(({ verdict }) => verdict === of).length
  return [
    ...unmatched,
    ...regressions.map(({ what, ratio, unit }) => `REGRESSION ${what}: ${shortNumber(ratio)} × the base (${unit})`),
    `${name} against ${base.slice(0, 12)}, ${rounds} rounds: ${rows.length} rows, ${regressions.length} regressions, ${count("improvement")} improvements, ${count("unclear")} unclear`,
  ]
}

function percent(part: number): string {
  return `${(part * 100).toFixed(1)} %`
}

/** Three digits count; thousands are set apart. */
export function shortNumber(value: number): string {
  if (!Number.isFinite(value)) return String(value)
  const rounded = Number(value.toPrecision(3))
  return Math.abs(rounded) >= 1000 ? Math.round(value).toLocaleString("en") : String(rounded)
}
