import fc from "fast-check"
import { expect, test } from "vitest"
import { microTimeText, parseTimestamp, timeText, zeroTimeSeconds } from "./timestamp.ts"
import { WireFault } from "./wire.ts"

/** The years 1 to 9999. */
const seconds = fc.integer({ min: zeroTimeSeconds + 1, max: 253402300799 })

test("times are what Date says", () => {
  fc.assert(
    fc.property(seconds, (value) => {
      expect(timeText(value, 0)).toBe(new Date(value * 1000).toISOString().replace(".000", ""))
    }),
  )
})

test("times come back", () => {
  fc.assert(
    fc.property(seconds, fc.integer({ min: 0, max: 999999 }), (value, micros) => {
      expect(parseTimestamp(microTimeText(value, micros * 1000, 0) ?? "")).toEqual({ seconds: value, nanos: micros * 1000 })
    }),
  )
})

test.each([
  [0, 0, "1970-01-01T00:00:00.000000Z"],
  [0, 1999, "1970-01-01T00:00:00.000001Z"],
  [0, -1000, "1969-12-31T23:59:59.999999Z"],
  [0, 2000000000, "1970-01-01T00:00:02.000000Z"],
  [zeroTimeSeconds, 0, null],
])("a MicroTime of %i s and %i ns is %s", (value, nanos, text) => expect(microTimeText(value, nanos, 0)).toBe(text))

test.each([
  [253402300800, "10000-01-01T00:00:00Z"],
  [951782400, "2000-02-29T00:00:00Z"],
  [zeroTimeSeconds - 1, "0000-12-31T23:59:59Z"],
  [zeroTimeSeconds, null],
])("a Time of %i s is %s", (value, text) => expect(timeText(value, 0)).toBe(text))

test("a time that no calendar has is refused", () => {
  expect(() => timeText(2 ** 62, 5)).toThrow(WireFault)
  expect(() => microTimeText(-(2 ** 62), 0, 5)).toThrow(WireFault)
})

test.each(["", "2024-01-01", "2024-13-01T00:00:00Z", "2024-01-01T00:00:00"])("%j is no time", (text) =>
  expect(parseTimestamp(text)).toBeUndefined(),
)
