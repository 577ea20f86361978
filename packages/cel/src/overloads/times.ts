import { unitCost } from "../cost/cost-rule.ts"
import { defineOverloads, type OverloadRow } from "../environment/overload.ts"
import type { Duration } from "../values/duration.ts"
import { int } from "../values/integers.ts"
import type { Timestamp } from "../values/timestamp.ts"
import { fail } from "../values/value.ts"
import { countWork } from "../values/work.ts"

/** Reads a part of a moment whose local time stands in the UTC fields of a Date. */
type ReadPart = (local: Date) => number

/** The parts of a moment: 2009-02-13T23:31:30.5Z is the example. */
const parts: readonly (readonly [name: string, word: string, read: ReadPart, example: number])[] = [
  ["getFullYear", "year", (local) => local.getUTCFullYear(), 2009],
  ["getMonth", "month", (local) => local.getUTCMonth(), 1],
  ["getDayOfYear", "day_of_year", dayOfYear, 43],
  ["getDayOfMonth", "day_of_month", (local) => local.getUTCDate() - 1, 12],
  ["getDate", "day_of_month_1_based", (local) => local.getUTCDate(), 13],
  ["getDayOfWeek", "day_of_week", (local) => local.getUTCDay(), 5],
  ["getHours", "hours", (local) => local.getUTCHours(), 23],
  ["getMinutes", "minutes", (local) => local.getUTCMinutes(), 31],
  ["getSeconds", "seconds", (local) => local.getUTCSeconds(), 30],
  ["getMilliseconds", "milliseconds", (local) => local.getUTCMilliseconds(), 500],
]

function dayOfYear(local: Date): number {
  const start = new Date(local)
  start.setUTCMonth(0, 1)
  return Math.round((local.getTime() - start.getTime()) / 86_400_000)
}

const moment = "timestamp('2009-02-13T23:31:30.5Z')"

const ofTimestamps: readonly OverloadRow[] = parts.flatMap(([name, word, read, example]) => [
  {
    id: `timestamp_to_${word}`,
    name,
    method: "(timestamp) -> int",
    evaluate: (time: Timestamp) => read(time.toDate()),
    cost: unitCost,
    example: `${moment}.${name}() == ${example}`,
  },
  {
    id: `timestamp_to_${word}_with_tz`,
    name,
    method: "(timestamp, string) -> int",
    evaluate: (time: Timestamp, zone: string) => read(inZone(time.toDate(), zone)),
    cost: unitCost,
    example: `${moment}.${name}('UTC') == ${example}`,
    failure: [`${moment}.${name}('Nowhere/Else')`, "unknown time zone Nowhere/Else"],
  },
])

const ofDurations: readonly OverloadRow[] = (
  [
    ["getHours", "hours", 3_600_000_000_000n, 1],
    ["getMinutes", "minutes", 60_000_000_000n, 62],
    ["getSeconds", "seconds", 1_000_000_000n, 3723],
    ["getMilliseconds", "milliseconds", 1_000_000n, 3_723_456],
  ] as const
).map(([name, word, unit, example]) => ({
  id: `duration_to_${word}`,
  name,
  method: "(duration) -> int",
  evaluate: ({ nanoseconds }: Duration) => int(nanoseconds / unit),
  cost: unitCost,
  example: `duration('3723.456s').${name}() == ${example}`,
}))

/** The functions of moments and durations. Without a zone, moments are in UTC. */
export const timeOverloads = defineOverloads([...ofTimestamps, ...ofDurations])

/** Returns a Date whose UTC fields are the local time of a zone: an offset such as `-08:00`, or a name of the IANA database. */
function inZone(date: Date, zone: string): Date {
  const colon = zone.indexOf(":")
  if (colon < 0) return inNamedZone(date, zone)
  const [hours, minutes] = [zone.slice(0, colon), zone.slice(colon + 1)].map(offsetPart) as [number, number]
  const offset = zone.startsWith("-") ? hours * 60 - minutes : hours * 60 + minutes
  return new Date(date.getTime() + offset * 60_000)
}

function offsetPart(text: string): number {
  if (!/^[+-]?[0-9]{1,9}$/.test(text)) fail(`strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`)
  return Number(text)
}

function inNamedZone(date: Date, zone: string): Date {
  if (zone === "" || zone === "UTC" || zone === "Local") return date
  const fields = new Map<string, string>(
    zoneFormat(zone)
      .formatToParts(date)
      .map(({ type, value }) => [type, value]),
  )
  const field = (name: Intl.DateTimeFormatPartTypes): number => Number(fields.get(name))
  const local = new Date(0)
  // West of Greenwich, the first hours of the year 1 are in the year before, which calendars call 1 BC.
  local.setUTCFullYear(fields.get("era") === "BC" ? 1 - field("year") : field("year"), field("month") - 1, field("day"))
  local.setUTCHours(field("hour") % 24, field("minute"), field("second"), date.getUTCMilliseconds())
  return local
}

/** Making a format takes the time of a thousand evaluations: the zones that were used last are kept. */
const zoneFormats = new Map<string, Intl.DateTimeFormat>()
const maxZoneFormats = 100
/** In units of work, for a zone that there is and for one that there is not. */
const newFormatWork = 200

function zoneFormat(zone: string): Intl.DateTimeFormat {
  const known = zoneFormats.get(zone)
  if (known) return known
  if (zone.includes("..") || /^[/\\]/.test(zone)) fail("time: invalid location name")
  countWork(newFormatWork)
  const format = newZoneFormat(zone)
  if (zoneFormats.size >= maxZoneFormats) zoneFormats.clear()
  zoneFormats.set(zone, format)
  return format
}

/** Names are those of files upstream: no offsets, and letters as the database has them. */
function newZoneFormat(zone: string): Intl.DateTimeFormat {
  try {
    const two = "2-digit"
    const fields = { era: "short", year: "numeric", month: two, day: two, hour: two, minute: two, second: two } as const
    const format = new Intl.DateTimeFormat("en-US", { timeZone: zone, hourCycle: "h23", ...fields })
    const { timeZone } = format.resolvedOptions()
    const isOtherwiseSpelled = timeZone !== zone && timeZone.toLowerCase() === zone.toLowerCase()
    return isOtherwiseSpelled || !/^[A-Z]/.test(zone) ? fail(`unknown time zone ${zone}`) : format
  } catch (error) {
    if (error instanceof RangeError) return fail(`unknown time zone ${zone}`)
    throw error
  }
}
