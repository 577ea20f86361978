import { describe, expect, test } from "vitest"
import type { Row } from "../../benches/bench.ts"
import { compareRounds, orderOf } from "./compare-trees.ts"
import { comparisonLines } from "./report.ts"
import type { RunResult } from "./run-questions.ts"

const result = (...rows: readonly Row[]): RunResult => ({ rows, failures: [] })
const start = (ours: number): Row => ({ what: "start", ours, unit: "ms" })

test("the order of the trees alternates", () => {
  expect([0, 1, 2].map((round) => orderOf(round)[0])).toEqual(["here", "base", "here"])
})

describe("comparison", () => {
  test("matches rows by their words and takes the medians of all rounds", () => {
    const here = [start(100), start(300), start(110)].map((row) => result(row))
    const base = [start(50), start(52), start(51)].map((row) => result(row))
    const [row] = compareRounds("up", "abc", { here, base }).rows
    expect(row).toMatchObject({ here: { median: 110, values: [100, 300, 110] }, base: { median: 51 } })
  })

  test("names rows that only one tree has, and does not judge them", () => {
    const here = [result(start(1), { what: "new", ours: 1, unit: "ms" })]
    const base = [result(start(1), { what: "old", ours: 1, unit: "ms" })]
    const { rows, unmatched, failed } = compareRounds("up", "abc", { here, base })
    expect(rows.map(({ what }) => what)).toEqual(["start"])
    expect(unmatched).toEqual(["this tree has a row of its own: new", "the base has a row of its own: old"])
    expect(failed).toBe(false)
  })

  test("does not compare a row that is missing in a round", () => {
    expect(compareRounds("up", "abc", { here: [result(start(1)), result()], base: [result(start(1)), result(start(1))] }).rows).toEqual([])
  })

  test("says why a question cannot be answered on the base, and fails only for this tree's", () => {
    const failing: RunResult = { rows: [], failures: [{ question: "memory", message: "no such export" }] }
    const onBase = compareRounds("up", "abc", { here: [result()], base: [failing, failing] })
    expect(onBase).toMatchObject({ unmatched: ['the base cannot answer "memory": no such export'], failed: false })
    expect(compareRounds("up", "abc", { here: [failing], base: [result()] }).failed).toBe(true)
  })

  test("ends with the number of regressions", () => {
    const lines = comparisonLines(compareRounds("up", "0123456789abcdef", { here: [result(start(200))], base: [result(start(100))] }))
    expect(lines).toEqual([
      "REGRESSION start: 2 × the base (ms)",
      "up against 0123456789ab, 1 rounds: 1 rows, 1 regressions, 0 improvements, 0 unclear",
    ])
  })
})
