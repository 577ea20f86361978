import { describe, expect, test } from "vitest"
import { formatInZone, parseSchedule } from "./schedule.ts"

function runs(schedule: string, from: string, timeZone?: string, count = 3): readonly string[] {
  const parsed = parseSchedule(schedule, timeZone)
  const found: string[] = []
  for (let run = parsed.next(Date.parse(from)); run !== undefined && found.length < count; run = parsed.next(run)) {
    found.push(new Date(run).toISOString().replace(/(:00)?\.000Z/, ""))
  }
  return found
}

describe("when runs are due", () => {
  test.each<[string, string, readonly string[]]>([
    ["0 * * * *", "2026-01-08T10:00:00Z", ["2026-01-08T11:00", "2026-01-08T12:00", "2026-01-08T13:00"]],
    ["*/20 * * * ?", "2026-01-08T10:05:00Z", ["2026-01-08T10:20", "2026-01-08T10:40", "2026-01-08T11:00"]],
    ["5/20 9-11 * * *", "2026-01-08T10:50:00Z", ["2026-01-08T11:05", "2026-01-08T11:25", "2026-01-08T11:45"]],
    ["30 6-16/4 * * mon-fri", "2026-01-09T11:00:00Z", ["2026-01-09T14:30", "2026-01-12T06:30", "2026-01-12T10:30"]],
    ["0 0 29 feb *", "2026-01-01T00:00:00Z", ["2028-02-29T00:00", "2032-02-29T00:00", "2036-02-29T00:00"]],
    ["@monthly", "2026-01-08T00:00:00Z", ["2026-02-01T00:00", "2026-03-01T00:00", "2026-04-01T00:00"]],
    ["@weekly", "2026-01-08T00:00:00Z", ["2026-01-11T00:00", "2026-01-18T00:00", "2026-01-25T00:00"]],
    ["@yearly", "2026-01-08T00:00:00Z", ["2027-01-01T00:00", "2028-01-01T00:00", "2029-01-01T00:00"]],
    ["@every 1h30m", "2026-01-08T10:00:00.700Z", ["2026-01-08T11:30", "2026-01-08T13:00", "2026-01-08T14:30"]],
    ["@every 10ms", "2026-01-08T10:00:00Z", ["2026-01-08T10:00:01", "2026-01-08T10:00:02", "2026-01-08T10:00:03"]],
    ["@every -5s", "2026-01-08T10:00:00Z", ["2026-01-08T10:00:01", "2026-01-08T10:00:02", "2026-01-08T10:00:03"]],
  ])("%s", (schedule, from, expected) => {
    expect(runs(schedule, from)).toEqual(expected)
  })

  test("of day of month and day of week one is enough when both are given", () => {
    expect(runs("0 0 1,15 * 1", "2026-01-08T00:00:00Z")).toEqual(["2026-01-12T00:00", "2026-01-15T00:00", "2026-01-19T00:00"])
    expect(runs("0 0 */10 * 1", "2026-01-08T00:00:00Z")).toEqual(["2026-01-11T00:00", "2026-01-12T00:00", "2026-01-19T00:00"])
  })

  test("a star does not restrict", () => {
    expect(runs("0 0 */1 * 1", "2026-01-08T00:00:00Z", "UTC", 2)).toEqual(["2026-01-12T00:00", "2026-01-19T00:00"])
  })

  test("a day that never comes is never due", () => {
    expect(runs("59 23 31 2 *", "2026-01-08T00:00:00Z")).toEqual([])
  })
})

describe("time zones", () => {
  test.each<[string, string | undefined, string, readonly string[]]>([
    ["0 8 * * *", "Europe/Berlin", "2026-03-27T12:00:00Z", ["2026-03-28T07:00", "2026-03-29T06:00"]],
    ["0 8 * * *", "Asia/Kolkata", "2026-03-27T12:00:00Z", ["2026-03-28T02:30", "2026-03-29T02:30"]],
    ["TZ=America/New_York 0 8 * * *", "Europe/Berlin", "2026-01-08T00:00:00Z", ["2026-01-08T13:00", "2026-01-09T13:00"]],
    ["CRON_TZ=Asia/Tokyo 0 8 * * *", undefined, "2026-01-08T00:00:00Z", ["2026-01-08T23:00", "2026-01-09T23:00"]],
    ["0 8 * * *", undefined, "2026-01-08T00:00:00Z", ["2026-01-08T08:00", "2026-01-09T08:00"]],
    // The clocks go forward at 2:00: what has no time of its own that day runs when they have (upstream leaves it out).
    ["30 2 * * *", "America/New_York", "2026-03-08T05:00:00Z", ["2026-03-08T07:00", "2026-03-09T06:30"]],
    // The clocks go back at 2:00: a time that comes twice is run once (upstream runs it twice) …
    ["30 1 * * *", "America/New_York", "2026-11-01T04:00:00Z", ["2026-11-01T05:30", "2026-11-02T06:30"]],
    // … and an hourly run is not held up.
    ["0 * * * *", "America/New_York", "2026-11-01T04:30:00Z", ["2026-11-01T05:00", "2026-11-01T06:00"]],
  ])("%s in %s", (schedule, zone, from, expected) => {
    expect(runs(schedule, from, zone, 2)).toEqual(expected)
  })

  test.each([
    ["UTC", "2026-01-08T10:00:00Z"],
    ["Europe/London", "2026-01-08T10:00:00Z"],
    ["Europe/Berlin", "2026-01-08T11:00:00+01:00"],
    ["America/St_Johns", "2026-01-08T06:30:00-03:30"],
    ["Asia/Kolkata", "2026-01-08T15:30:00+05:30"],
  ])("a moment in %s is written as its clocks show it", (zone, expected) => {
    expect(formatInZone(Date.parse("2026-01-08T10:00:00Z"), zone)).toBe(expected)
  })
})

describe("what is no schedule, in the words of Kubernetes' parser", () => {
  test.each([
    ["", "empty spec string"],
    ["* * * *", "expected exactly 5 fields, found 4: [* * * *]"],
    ["0 * * * * *", "expected exactly 5 fields, found 6: [0 * * * * *]"],
    ["60 * * * *", "end of range (60) above maximum (59): 60"],
    ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
    ["5-3 * * * *", "beginning of range (5) beyond end of range (3): 5-3"],
    ["*/0 * * * *", "step of range should be a positive number: */0"],
    ["1/2/3 * * * *", "too many slashes: 1/2/3"],
    ["1-2-3 * * * *", "too many hyphens: 1-2-3"],
    ["a * * * *", 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'],
    ["* * * * 7", "end of range (7) above maximum (6): 7"],
    ["* * L * *", 'failed to parse int from L: strconv.Atoi: parsing "L": invalid syntax'],
    ["@sometimes", "unrecognized descriptor: @sometimes"],
    ["@every now", 'failed to parse duration @every now: time: invalid duration "now"'],
    ["TZ=Mars/Base 0 * * * *", "provided bad location Mars/Base: unknown time zone Mars/Base"],
  ])("%s", (schedule, message) => {
    expect(() => parseSchedule(schedule)).toThrow(message)
  })
})
