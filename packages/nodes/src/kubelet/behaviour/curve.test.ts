import { describe, expect, test } from "vitest"
import { nextStepAfter, parseCurve, quantityAt, stepAt } from "./curve.ts"

describe("what an annotation says", () => {
  test.each([
    ["100m", [{ at: 0, text: "100m" }]],
    [
      "60s=900m, 0s=100m",
      [
        { at: 0, text: "100m" },
        { at: 60_000, text: "900m" },
      ],
    ],
    ["", undefined],
    ["soon=1", undefined],
    ["1s=", undefined],
    ["1s=2=3", undefined],
  ])("%s", (text, points) => {
    expect(parseCurve(text)).toEqual(points)
  })
})

describe("a quantity over time", () => {
  const curve = parseCurve("10s=100m,20s=300m")!
  test.each([
    [0, 0.1],
    [10_000, 0.1],
    [15_000, 0.2],
    [20_000, 0.3],
    [99_000, 0.3],
  ])("after %i ms it is %f", (elapsed, value) => {
    expect(quantityAt(curve, elapsed)).toBeCloseTo(value)
  })

  test("is not there where a point is none", () => {
    expect(quantityAt(parseCurve("lots")!, 0)).toBeUndefined()
  })
})

test("steps hold until the next, the first one also before it", () => {
  const curve = parseCurve("5s=true,60s=false")!
  expect([stepAt(curve, 0), stepAt(curve, 59_999), stepAt(curve, 60_000)]).toEqual(["true", "true", "false"])
  expect([nextStepAfter(curve, 0), nextStepAfter(curve, 5000), nextStepAfter(curve, 60_000)]).toEqual([5000, 60_000, undefined])
})
