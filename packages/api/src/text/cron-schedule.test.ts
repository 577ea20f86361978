import { describe, expect, it } from "vitest"
import { parseCronSchedule } from "./cron-schedule.ts"

function fields(text: string) {
  const schedule = parseCronSchedule(text)
  return "fields" in schedule ? schedule.fields : []
}

/** The minutes, or the field of that number. */
function values(text: string, field = 0): string {
  const { values: found = [], any = false } = fields(text)[field] ?? {}
  return any ? "*" : found.join(" ")
}

describe("fields of a schedule", () => {
  it.each<[text: string, field: number, expected: string]>([
    ["* * * * *", 0, "*"],
    ["? * * * *", 0, "*"],
    ["*/1 * * * *", 0, "*"],
    ["*/20 * * * *", 0, "0 20 40"],
    ["5 * * * *", 0, "5"],
    ["5/15 * * * *", 0, "5 20 35 50"],
    ["1-5 * * * *", 0, "1 2 3 4 5"],
    ["10-20/5,12 * * * *", 0, "10 12 15 20"],
    ["1,,2 * * * *", 0, "1 2"],
    [", * * * *", 0, ""],
    ["+5 * * * *", 0, "5"],
    ["*-2-3 * * * *", 0, "*"],
    ["*-2/30 * * * *", 0, "0 30"],
    ["* * * FEB-apr *", 3, "2 3 4"],
    ["* * * * mon,Fri", 4, "1 5"],
    ["\t0  0\n1 1 * ", 2, "1"],
    ["@weekly", 4, "0"],
    ["@yearly", 3, "1"],
  ])("%j in field %i allows %j", (text, field, expected) => {
    expect(values(text, field)).toBe(expected)
  })

  it.each<[text: string, milliseconds: number]>([
    ["@every 1h30m", 5_400_000],
    ["@every .5s", 500],
    ["@every -5s", -5000],
    ["@every 0", 0],
  ])("%s is %i ms", (text, every) => {
    expect(parseCronSchedule(text)).toEqual({ every })
  })
})

describe("what is no schedule", () => {
  it.each([
    ["", "empty spec string"],
    ["* * * *", "expected exactly 5 fields, found 4: [* * * *]"],
    ["60 * * * *", "end of range (60) above maximum (59): 60"],
    ["* * 0 * *", "beginning of range (0) below minimum (1): 0"],
    ["5-3 * * * *", "beginning of range (5) beyond end of range (3): 5-3"],
    ["*/0 * * * *", "step of range should be a positive number: */0"],
    ["1/2/3 * * * *", "too many slashes: 1/2/3"],
    ["1-2-3/4/5 * * * *", "too many hyphens: 1-2-3/4/5"],
    ["a-2-3 * * * *", 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'],
    ["-5 * * * *", 'failed to parse int from : strconv.Atoi: parsing "": invalid syntax'],
    ["1/-5 * * * *", "negative number (-5) not allowed: -5"],
    ["99999999999999999999 * * * *", 'strconv.Atoi: parsing "99999999999999999999": value out of range'],
    ["@sometimes", "unrecognized descriptor: @sometimes"],
    ["@constructor", "unrecognized descriptor: @constructor"],
    ["@every now", 'failed to parse duration @every now: time: invalid duration "now"'],
  ])("%j: %s", (text, message) => {
    expect(() => parseCronSchedule(text)).toThrow(message)
  })

  it("has more than 1000 characters", () => {
    const longest = `${"0,".repeat(496)} * * * *`
    expect(longest).toHaveLength(1000)
    expect(values(longest)).toBe("0")
    expect(() => parseCronSchedule(`${"*/1,".repeat(700_000)} * * * *`)).toThrow(
      "expected a schedule of at most 1000 characters, found 2800008",
    )
  })
})
