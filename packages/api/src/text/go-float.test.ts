import { expect, test } from "vitest"
import { goFloat } from "./go-float.ts"

test.each([
  [0, "0"],
  [-0, "-0"],
  [1.5, "1.5"],
  [-123456.5, "-123456.5"],
  [0.0001, "0.0001"],
  [0.00001, "1e-05"],
  [0.000015, "1.5e-05"],
  [1e6, "1e+06"],
  [123456789.5, "1.234567895e+08"],
  [1e21, "1e+21"],
  [1e100, "1e+100"],
  [5e-324, "5e-324"],
  [Number.POSITIVE_INFINITY, "+Inf"],
  [Number.NEGATIVE_INFINITY, "-Inf"],
  [Number.NaN, "NaN"],
])("%d is written %s", (value, text) => {
  expect(goFloat(value)).toBe(text)
})
