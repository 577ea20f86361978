import fc from "fast-check"
import { expect, test } from "vitest"
import { durationText, parseDuration } from "./duration.ts"

test.each([
  [0n, "0s"],
  [1n, "1ns"],
  [1100n, "1.1µs"],
  [2200000n, "2.2ms"],
  [3300000000n, "3.3s"],
  [245000000000n, "4m5s"],
  [245001000000n, "4m5.001s"],
  [18367001000000n, "5h6m7.001s"],
  [480000000001n, "8m0.000000001s"],
  [3600000000000n, "1h0m0s"],
  [-1500000000n, "-1.5s"],
  [2n ** 63n - 1n, "2562047h47m16.854775807s"],
])("%s ns is %s", (nanoseconds, text) => {
  expect(durationText(nanoseconds)).toBe(text)
  expect(parseDuration(text)).toBe(nanoseconds)
})

test("every duration comes back", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), (value) => {
      expect(parseDuration(durationText(value))).toBe(value)
    }),
  )
})

test.each(["", "5", "1x", "s", "1m 2s", "--1s"])("%j is no duration", (text) => expect(parseDuration(text)).toBeUndefined())
