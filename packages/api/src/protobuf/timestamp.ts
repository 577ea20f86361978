// Seconds since 1970 to and from RFC 3339 text. Written out because Date costs ten times as much and a pod has a dozen of these.
import { WireFault } from "./wire.ts"

/** 0001-01-01T00:00:00Z: Go's zero time, which JSON writes as null. */
export const zeroTimeSeconds = -62135596800

/** What Date can hold; Go goes further, Kubernetes does not. */
const maximumSeconds = 8640000000000

const two = Array.from({ length: 100 }, (_, value) => String(value).padStart(2, "0"))

/** "2024-05-01T12:00:00" without fraction and zone. */
function dateTime(seconds: number): string {
  const days = Math.floor(seconds / 86400)
  const rest = seconds - days * 86400
  // Days to year, month, day with the year starting in March, so that the leap day is its last (400 years have 146097 days, 4 have 1461).
  const shifted = days + 719468
  const era = Math.floor(shifted / 146097)
  const day = shifted - era * 146097
  const yearOfEra = Math.floor((day - Math.floor(day / 1460) + Math.floor(day / 36524) - Math.floor(day / 146096)) / 365)
  const dayOfYear = day - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const march = Math.floor((5 * dayOfYear + 2) / 153)
  const month = march < 10 ? march + 3 : march - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  const date = `${yearText(year)}-${two[month]}-${two[dayOfYear - Math.floor((153 * march + 2) / 5) + 1]}`
  return `${date}T${two[Math.floor(rest / 3600)]}:${two[Math.floor(rest / 60) % 60]}:${two[rest % 60]}`
}

function yearText(year: number): string {
  if (year >= 1000) return String(year)
  return `${year < 0 ? "-" : ""}${String(Math.abs(year)).padStart(4, "0")}`
}

/** Time in JSON: whole seconds. Null for Go's zero time. */
export function timeText(seconds: number, offset: number): string | null {
  if (seconds === zeroTimeSeconds) return null
  checkRange(seconds, offset)
  return `${dateTime(seconds)}Z`
}

/** MicroTime in JSON: always six digits, nanoseconds cut off as Go does. */
export function microTimeText(seconds: number, nanos: number, offset: number): string | null {
  checkRange(seconds, offset)
  const micros = Math.trunc(nanos / 1000)
  const carried = seconds + Math.floor(micros / 1000000)
  const rest = micros - Math.floor(micros / 1000000) * 1000000
  if (carried === zeroTimeSeconds && rest === 0) return null
  return `${dateTime(carried)}.${String(rest).padStart(6, "0")}Z`
}

function checkRange(seconds: number, offset: number): void {
  if (seconds > -maximumSeconds && seconds < maximumSeconds) return
  throw new WireFault(offset, `a time is within ${maximumSeconds} seconds of 1970, not ${seconds}`)
}

export interface Timestamp {
  readonly seconds: number
  readonly nanos: number
}

/** RFC 3339 text with any fraction and zone; undefined if it is none. */
export function parseTimestamp(text: string): Timestamp | undefined {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/.exec(text)
  if (match === null) return undefined
  const milliseconds = Date.parse(`${match[1]}${match[3]}`)
  if (Number.isNaN(milliseconds)) return undefined
  return { seconds: milliseconds / 1000, nanos: Number((match[2] ?? "").padEnd(9, "0")) }
}
