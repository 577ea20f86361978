import { describe, expect, test } from "vitest"
import type { Row } from "../../benches/bench.ts"
import { atMost, costRatio } from "../../benches/beside.ts"
import { chart } from "./chart.ts"
import { runTable, shortNumber } from "./report.ts"
import { textTable } from "./text-table.ts"

describe("ratio", () => {
  test.each([
    ["ms", 50, 100, 0.5],
    ["MB", 200, 100, 2],
    ["/s", 300, 100, 1 / 3],
    ["events per CPU-second", 50, 100, 2],
    ["s/GB", 50, 100, 0.5],
  ])("in %s, %d beside %d cost %d times as much", (unit, ours, theirs, ratio) => {
    expect(costRatio({ ours, theirs, unit })).toBeCloseTo(ratio)
  })

  test("without a peer there is none, and no goal that needs one", () => {
    expect(costRatio({ ours: 1, unit: "ms" })).toBeUndefined()
    expect(atMost(0.5, "start", "ms", { ours: 1 })).toEqual({ what: "start", ours: 1, unit: "ms" })
  })

  test("a goal is met at the ratio that it names, and missed above", () => {
    expect(atMost(0.5, "start", "ms", { ours: 50, theirs: 100 })).toMatchObject({ goal: "≤ 0.5 ×", met: true })
    expect(atMost(0.5, "creates", "/s", { ours: 199, theirs: 100 })).toMatchObject({ goal: "≤ 0.5 ×", met: false })
  })
})

const rows: readonly Row[] = [
  { what: "start", ours: 263.4, theirs: 3300, unit: "ms", goal: "≤ 0.25 ×", met: true },
  { what: "creates & more", ours: 12_345, unit: "/s" },
]

test("a table for people has no empty columns and no undefined", () => {
  expect(textTable(runTable(rows))).toBe(
    [
      "what              ours  theirs  unit   ratio  goal      met",
      "start              263   3,300  ms    0.0798  ≤ 0.25 ×  yes",
      "creates & more  12,345          /s",
    ].join("\n"),
  )
  expect(textTable(runTable(rows.slice(1)))).toBe("what              ours  unit\ncreates & more  12,345  /s")
})

test.each([
  [0.000206, "0.000206"],
  [12.3456, "12.3"],
  [999.6, "1,000"],
  [2717805.2, "2,717,805"],
  [0, "0"],
])("%d is shown as %s", (value, shown) => {
  expect(shortNumber(value)).toBe(shown)
})

describe("chart", () => {
  const widths = (svg: string) =>
    [...svg.matchAll(/<rect x="([\d.]+)" y="\d+" width="([\d.]+)"/g)].map(([, x, width]) => [Number(x), Number(width)])

  test("ratios stand on powers of ten on both sides of the line of equals", () => {
    const beside = (ours: number): Row => ({ what: `${ours}`, ours, theirs: 100, unit: "ms" })
    const svg = chart("up", [beside(10), beside(1), beside(1000), { what: "alone", ours: 5, unit: "ms" }])
    const [[tenth = 0, tenthWidth = 0] = [], [, hundredthWidth = 0] = [], [ten = 0] = [], ...none] = widths(svg)
    expect(none).toEqual([])
    expect(hundredthWidth).toBeCloseTo(2 * tenthWidth, 0)
    expect(tenth + tenthWidth).toBeCloseTo(ten, 0)
    expect(svg).toContain("ours ÷ theirs, lower is better")
  })

  test("without peers the figures of one unit start at zero", () => {
    const svg = chart("testing", [
      { what: "a", ours: 10, unit: "ms" },
      { what: "b", ours: 40, unit: "ms" },
      { what: "c", ours: 7, unit: "MB" },
    ])
    const [[, first = 0] = [], [, second = 0] = [], ...none] = widths(svg)
    expect(none).toEqual([])
    expect(second).toBeCloseTo(4 * first, 0)
  })
})
