import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { canonicalMicroTime, canonicalTime, formatMicroTime, formatTime, parseMicroTime, parseTime } from "./time.ts"

test.each([
  [0, "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z"],
  [1767323045678, "2026-01-02T03:04:05Z", "2026-01-02T03:04:05.678000Z"],
  [1767323045678.901, "2026-01-02T03:04:05Z", "2026-01-02T03:04:05.678901Z"],
  [-1, "1969-12-31T23:59:59Z", "1969-12-31T23:59:59.999000Z"],
  [-62167219200000, "0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000000Z"],
])("%d is written %s or %s", (moment, time, micro) => {
  expect([formatTime(moment), formatMicroTime(moment)]).toEqual([time, micro])
})

test.each([Number.NaN, Number.POSITIVE_INFINITY, 253402300800000, -62167219200001])("%d cannot be written", (moment) => {
  expect(() => formatTime(moment)).toThrow(`expected a time in milliseconds between year 0 and year 9999, found ${moment}`)
})

test.each([
  ["2026-01-02T03:04:05Z", 1767323045000],
  ["2026-01-02T03:04:05.5Z", 1767323045500],
  ["2026-01-02T03:04:05,5Z", 1767323045500],
  ["2026-01-02T03:04:05.678901Z", 1767323045678.901],
  ["2026-01-02T03:04:05.678901234Z", 1767323045678.901],
  ["2026-01-02T05:04:05+02:00", 1767323045000],
  ["2026-01-01T22:34:05-04:30", 1767323045000],
  ["2026-01-02T3:04:05Z", 1767323045000],
  ["2024-02-29T00:00:00Z", 1709164800000],
  ["2026-01-31T00:00:00Z", 1769817600000],
  ["0099-01-01T00:00:00Z", Date.UTC(2099, 0, 1) - (Date.UTC(2400, 0, 1) - Date.UTC(400, 0, 1))],
])("%s is read", (text, moment) => {
  expect(parseTime(text)).toBe(moment)
})

describe("malformed times", () => {
  const layout = '"2006-01-02T15:04:05Z07:00"'
  test.each([
    ["", `parsing time "" as ${layout}: cannot parse "" as "2006"`],
    ["yesterday", `parsing time "yesterday" as ${layout}: cannot parse "yesterday" as "2006"`],
    ["2026", `parsing time "2026" as ${layout}: cannot parse "" as "-"`],
    ["2026-1-02T03:04:05Z", `parsing time "2026-1-02T03:04:05Z" as ${layout}: cannot parse "1-02T03:04:05Z" as "01"`],
    ["2026-13-02T03:04:05Z", 'parsing time "2026-13-02T03:04:05Z": month out of range'],
    ["2026-02-30T03:04:05Z", 'parsing time "2026-02-30T03:04:05Z": day out of range'],
    ["2025-02-29T03:04:05Z", 'parsing time "2025-02-29T03:04:05Z": day out of range'],
    ["1900-02-29T03:04:05Z", 'parsing time "1900-02-29T03:04:05Z": day out of range'],
    ["2026-04-31T03:04:05Z", 'parsing time "2026-04-31T03:04:05Z": day out of range'],
    ["2026-01-02T24:00:00Z", 'parsing time "2026-01-02T24:00:00Z": hour out of range'],
    ["2026-01-02T03:60:05Z", 'parsing time "2026-01-02T03:60:05Z": minute out of range'],
    ["2026-01-02T03:04:60Z", 'parsing time "2026-01-02T03:04:60Z": second out of range'],
    ["2026-01-02 03:04:05Z", `parsing time "2026-01-02 03:04:05Z" as ${layout}: cannot parse " 03:04:05Z" as "T"`],
    ["2026-01-02T03:04:05", `parsing time "2026-01-02T03:04:05" as ${layout}: cannot parse "" as "Z07:00"`],
    ["2026-01-02T03:04:05z", `parsing time "2026-01-02T03:04:05z" as ${layout}: cannot parse "z" as "Z07:00"`],
    ["2026-01-02T03:04:05+25:00", 'parsing time "2026-01-02T03:04:05+25:00": time zone offset hour out of range'],
    ["2026-01-02T03:04:05+01:61", 'parsing time "2026-01-02T03:04:05+01:61": time zone offset minute out of range'],
    ["2026-01-02T03:04:05Zx", 'parsing time "2026-01-02T03:04:05Zx": extra text: "x"'],
  ])("%j is refused", (text, message) => {
    expect(() => parseTime(text)).toThrow(expect.objectContaining({ code: "INVALID", message }))
  })

  test("a MicroTime without six digits is refused, as by the server", () => {
    const micro = '"2006-01-02T15:04:05.000000Z07:00"'
    expect(() => parseMicroTime("2026-01-02T03:04:05Z")).toThrow(
      `parsing time "2026-01-02T03:04:05Z" as ${micro}: cannot parse "Z" as ".000000"`,
    )
    expect(() => parseMicroTime("2026-01-02T03:04:05.12345Z")).toThrow('cannot parse ".12345Z" as ".000000"')
    expect(parseMicroTime("2026-01-02T03:04:05.678901+00:00")).toBe(1767323045678.901)
  })
})

test("what is written reads back, cut to the second or to the microsecond", () => {
  fc.assert(
    fc.property(fc.integer({ min: -2e12, max: 8e12 }), fc.nat(999), (moment, micros) => {
      expect(parseTime(formatTime(moment))).toBe(Math.floor(moment / 1000) * 1000)
      expect(parseMicroTime(formatMicroTime(moment + micros / 1000))).toBeCloseTo(moment + micros / 1000, 2)
      expect(formatMicroTime(parseMicroTime(formatMicroTime(moment + micros / 1000)))).toBe(formatMicroTime(moment + micros / 1000))
    }),
  )
})

test("a microsecond after 2109 is not rounded away, found with seed 1412673356", () => {
  expect(formatMicroTime(4398046511104 + 0.188)).toBe("2109-05-15T07:35:11.104188Z")
  expect(formatMicroTime(1700000000000 + 0.9999)).toBe("2023-11-14T22:13:20.001000Z")
})

test("whole seconds sort as their texts do", () => {
  const moments = fc.integer({ min: 0, max: 4e9 }).map((seconds) => seconds * 1000)
  fc.assert(
    fc.property(moments, moments, (a, b) => {
      expect(a < b).toBe(formatTime(a) < formatTime(b))
    }),
  )
})

test.each(["2026-01-02T03:04:05Z", "2026-01-02T04:04:05+01:00", "2026-01-02T03:04:05.9Z", "2024-02-29T00:00:00Z", "0001-01-01T00:00:00Z"])(
  "the canonical form of %s is what is written of its moment",
  (text) => {
    expect(canonicalTime(text)).toBe(formatTime(parseTime(text)))
  },
)

test.each([
  "2026-01-02T03:04:05.678901Z",
  "2026-01-02T04:04:05.678901+01:00",
  "1969-12-31T23:59:59.999999Z",
  "2247-12-31T23:59:59.999999Z",
  "9998-12-31T23:59:59.000000Z",
])("the canonical form of %s with microseconds is what is written of its moment", (text) => {
  expect(canonicalMicroTime(text)).toBe(formatMicroTime(parseMicroTime(text)))
})

test.each(["2026-02-30T00:00:00Z", "2026-01-02 03:04:05Z", "soon"])("%s has no canonical form", (text) => {
  expect(() => canonicalTime(text)).toThrow()
  expect(() => canonicalMicroTime(text)).toThrow()
})
