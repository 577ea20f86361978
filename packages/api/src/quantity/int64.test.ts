import fc from "fast-check"
import { expect, test } from "vitest"
import { formatTime } from "../text/time.ts"
import { addInt64, compareInt64, isInt64, parseInt64, secondsInMilliseconds } from "./int64.ts"
import type { Int64 } from "./scalars.ts"

const bigints = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })

test.each<[text: string, value: Int64 | undefined]>([
  ["0", 0],
  ["-0", 0],
  ["+7", 7],
  ["007", 7],
  ["9007199254740991", 9007199254740991],
  ["9007199254740993", 9007199254740993n],
  ["3546343826724305832", 3546343826724305832n],
  ["9223372036854775807", 2n ** 63n - 1n],
  ["-9223372036854775808", -(2n ** 63n)],
  [`${"0".repeat(30)}9223372036854775807`, 2n ** 63n - 1n],
  ["9223372036854775808", undefined],
  ["-9223372036854775809", undefined],
  ["99999999999999999999", undefined],
  ["", undefined],
  ["-", undefined],
  ["1_000", undefined],
  ["1.0", undefined],
  ["1e3", undefined],
  [" 1", undefined],
  ["0x1", undefined],
])("%j is read as %s", (text, value) => {
  expect(parseInt64(text)).toBe(value)
})

test.each<[value: unknown, is: boolean]>([
  [0, true],
  [9007199254740993n, true],
  [2n ** 63n, false],
  [5n, false],
  [2 ** 60, false],
  [1.5, false],
  ["1", false],
])("%s is an int64: %s", (value, is) => {
  expect(isInt64(value)).toBe(is)
})

test("reads, adds and compares exactly what 64 bits hold, and wraps around beyond", () => {
  fc.assert(
    fc.property(bigints, bigints, (a, b) => {
      const [left, right] = [parseInt64(String(a)), parseInt64(String(b))] as [Int64, Int64]
      expect([isInt64(left), BigInt(left)]).toEqual([true, a])
      expect(BigInt(addInt64(left, right))).toBe(BigInt.asIntN(64, a + b))
      expect(isInt64(addInt64(left, right))).toBe(true)
      expect(compareInt64(left, right)).toBe(a < b ? -1 : a > b ? 1 : 0)
    }),
  )
})

test.each<[seconds: Int64, milliseconds: number]>([
  [30, 30_000],
  [2n ** 53n + 1n, 9_223_372_036_854],
  [2n ** 63n - 1n, 9_223_372_036_854],
  [-(2n ** 63n), -9_223_372_036_854],
])("%s s are %d ms, after which there still is a time that can be written", (seconds, milliseconds) => {
  expect(secondsInMilliseconds(seconds)).toBe(milliseconds)
  expect(formatTime(Date.UTC(2026, 0) + secondsInMilliseconds(seconds))).toMatch(/^\d{4}-/)
})
