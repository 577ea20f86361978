import { expect, test } from "vitest"
import { retryAfterHeader } from "./retry-after-header.ts"

const noon = Date.parse("2026-01-05T12:00:00Z")
const [atNoon, later] = ["Mon, 05 Jan 2026 12:00:00 GMT", "Mon, 05 Jan 2026 12:00:30 GMT"]

const rows: Record<string, { headers: Record<string, string>; now?: number; milliseconds: number | undefined }> = {
  none: { headers: {}, milliseconds: undefined },
  seconds: { headers: { "retry-after": "7" }, milliseconds: 7000 },
  "no seconds": { headers: { "retry-after": "0" }, milliseconds: 0 },
  "a date, from the date of the answer, whatever our own clock says": {
    headers: { "retry-after": later, date: atNoon },
    now: 0,
    milliseconds: 30_000,
  },
  "a date, of an answer without one": { headers: { "retry-after": later }, now: noon, milliseconds: 30_000 },
  "a date that is over": { headers: { "retry-after": atNoon, date: later }, milliseconds: 0 },
  "a date and nothing to count from": { headers: { "retry-after": later }, milliseconds: undefined },
  "neither seconds nor a date": { headers: { "retry-after": "soon", date: atNoon }, milliseconds: undefined },
  "less than none": { headers: { "retry-after": "-5", date: "?" }, milliseconds: undefined },
}
test.each(Object.entries(rows))("%s", (_, { headers, now, milliseconds }) => expect(retryAfterHeader(headers, now)).toBe(milliseconds))
