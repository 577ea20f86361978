import { describe, expect, test } from "vitest"
import { directionOf } from "../../benches/beside.ts"
import { median, spread } from "./statistics.ts"
import { compareRow, verdictOf } from "./verdict.ts"

describe("statistics", () => {
  test("the median of an odd number of values is the middle one, of an even number the mean of two", () => {
    expect(median([9, 1, 5])).toBe(5)
    expect(median([4, 1, 3, 2])).toBe(2.5)
    expect(median([])).toBeNaN()
  })

  test("the spread is the distance between the quartiles as a part of the median", () => {
    expect(spread([1, 2, 3, 4])).toBeCloseTo((3.25 - 1.75) / 2.5)
    expect(spread([7, 7, 7])).toBe(0)
    expect(spread([0, 0, 0])).toBe(0)
  })

  test("one round that was disturbed does not widen the spread of seven", () => {
    expect(spread([100, 100, 100, 100, 100, 100, 900])).toBe(0)
  })
})

describe("direction", () => {
  test.each([
    ["/s", "higher"],
    ["MB/s", "higher"],
    ["keys per CPU-second", "higher"],
    ["events per CPU-second", "higher"],
    ["s/GB", "lower"],
    ["ms", "lower"],
    ["µs of CPU", "lower"],
    ["s of CPU", "lower"],
    ["MB", "lower"],
    ["KiB", "lower"],
    ["bytes", "lower"],
    ["calls", "lower"],
  ] as const)("a row in %s is better when %s", (unit, better) => {
    expect(directionOf({ unit })).toBe(better)
  })

  test("a row that says its direction has that one", () => {
    expect(directionOf({ unit: "pods", better: "higher" })).toBe("higher")
    expect(directionOf({ unit: "/s", better: "neither" })).toBe("neither")
  })
})

describe("verdict", () => {
  test.each([
    { better: "lower", ratio: 1.05, noise: 0, verdict: "same" },
    { better: "lower", ratio: 1.06, noise: 0.02, verdict: "regression" },
    { better: "lower", ratio: 1.06, noise: 0.08, verdict: "unclear" },
    { better: "lower", ratio: 0.9, noise: 0.02, verdict: "improvement" },
    { better: "lower", ratio: 0.9, noise: 0.2, verdict: "unclear" },
    { better: "higher", ratio: 0.9, noise: 0.02, verdict: "regression" },
    { better: "higher", ratio: 1.1, noise: 0.02, verdict: "improvement" },
    { better: "higher", ratio: 0.9, noise: 0.2, verdict: "unclear" },
    { better: "lower", ratio: Number.POSITIVE_INFINITY, noise: 0, verdict: "regression" },
    { better: "neither", ratio: 3, noise: 0, verdict: "not judged" },
  ] as const)("$ratio × the base with a spread of $noise, better when $better: $verdict", ({ better, ratio, noise, verdict }) => {
    expect(verdictOf(better, ratio, noise)).toBe(verdict)
  })

  test("a time that doubles and a rate that halves are regressions", () => {
    expect(compareRow({ what: "start", unit: "ms" }, [200, 202, 198], [100, 101, 99])).toMatchObject({ ratio: 2, verdict: "regression" })
    expect(compareRow({ what: "creates", unit: "/s" }, [500, 501, 499], [1000, 1001, 999])).toMatchObject({
      ratio: 0.5,
      verdict: "regression",
    })
  })

  test("the spreads of both trees count", () => {
    // 10 % apart; the quartiles of each tree are 8 % apart, which makes 11 % of the ratio.
    const around = (middle: number) => [0.92, 0.96, 1, 1.04, 1.08].map((part) => part * middle)
    expect(compareRow({ what: "start", unit: "ms" }, around(110), around(100))).toMatchObject({ verdict: "unclear" })
    expect(compareRow({ what: "start", unit: "ms" }, around(113), around(100))).toMatchObject({ verdict: "regression" })
  })

  test("one tree that spreads widely is enough", () => {
    expect(compareRow({ what: "start", unit: "ms" }, [110, 110, 110, 110], [80, 90, 110, 120])).toMatchObject({
      ratio: 1.1,
      verdict: "unclear",
    })
  })

  test("nothing in both trees is no change", () => {
    expect(compareRow({ what: "lost nodes", unit: "nodes" }, [0, 0], [0, 0])).toMatchObject({ ratio: 1, verdict: "same" })
  })
})
