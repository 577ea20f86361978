import { PilothouseError } from "@pilothouse/seams"
import { parseTimeSlowly } from "./time-parse.ts"

/** The first moment of year 0 and of year 10000: what RFC 3339 can write. */
const earliest = -62167219200000
const latest = 253402300800000

/** A moment (milliseconds since 1970) as metav1.Time is written: "2026-01-02T03:04:05Z". UTC; the part of a second is cut off. */
export function formatTime(moment: number): string {
  return `${isoOf(moment).slice(0, 19)}Z`
}

/** A moment as metav1.MicroTime is written: "2026-01-02T03:04:05.678901Z". Microseconds are the fraction of the milliseconds; exact until 2255. */
export function formatMicroTime(moment: number): string {
  // Rounded, not cut: 1700000000000.123 ms is stored as …00.12298583984375.
  const micros = Math.round(moment * 1000)
  const rest = ((micros % 1000) + 1000) % 1000
  const iso = isoOf((micros - rest) / 1000)
  return `${iso.slice(0, 23)}${String(rest).padStart(3, "0")}Z`
}

function isoOf(moment: number): string {
  if (!(moment >= earliest && moment < latest)) {
    throw new PilothouseError("INVALID", `expected a time in milliseconds between year 0 and year 9999, found ${moment}`)
  }
  return new Date(Math.floor(moment)).toISOString()
}

const usual = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?Z$/

/** Milliseconds since 1970 of any RFC 3339 text; a fraction of a second and an offset are understood. */
export function parseTime(text: string): number {
  return parsed(text) ?? parseTimeSlowly(text, false)
}

/** The same for metav1.MicroTime, where the server insists on six digits after the second. */
export function parseMicroTime(text: string): number {
  return (text.length === 27 ? parsed(text) : undefined) ?? parseTimeSlowly(text, true)
}

/** The way nearly all times are written; undefined where a closer look is needed. */
function parsed(text: string): number | undefined {
  const match = usual.exec(text)
  if (match === null) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [number, number, number, number, number, number]
  // Years below 100 would be taken for 19xx, and days after the 28th depend on the month: both are for the slow reader.
  if (year < 100 || month < 1 || month > 12 || day < 1 || day > 28 || hour > 23 || minute > 59 || second > 59) return undefined
  const fraction = match[7] === undefined ? 0 : Number(match[7].padEnd(6, "0")) / 1e3
  return Date.UTC(year, month - 1, day, hour, minute, second) + fraction
}
