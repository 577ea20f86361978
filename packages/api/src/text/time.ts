import { PilothouseError } from "@pilothouse/seams"
import { parseTimeSlowly } from "./time-parse.ts"

/** The first moment of year 0 and of year 10000: what RFC 3339 can write. */
const earliest = -62167219200000
const latest = 253402300800000

/** A moment (milliseconds since 1970) as metav1.Time is written: "2026-01-02T03:04:05Z". UTC; the part of a second is cut off. */
export function formatTime(moment: number): string {
  const second = Math.floor(moment / 1000)
  if (second !== written.second) Object.assign(written, { second, text: `${isoOf(moment).slice(0, 19)}Z` })
  return written.text
}

/** The second that was written last: a busy server writes each one thousands of times. */
const written = { second: Number.NaN, text: "" }

/** A moment as metav1.MicroTime is written: "2026-01-02T03:04:05.678901Z". Microseconds are the fraction of the milliseconds; exact until 2248. */
export function formatMicroTime(moment: number): string {
  // Rounded, not cut: 1700000000000.123 ms is stored as …00.12298583984375. The fraction alone is multiplied: the product of the whole
  // would itself be rounded from 2109 on.
  const whole = Math.floor(moment)
  const micros = Math.round((moment - whole) * 1000)
  const iso = isoOf(micros === 1000 ? whole + 1 : whole)
  return `${iso.slice(0, 23)}${String(micros % 1000).padStart(3, "0")}Z`
}

function isoOf(moment: number): string {
  if (!(moment >= earliest && moment < latest)) {
    throw new PilothouseError("INVALID", `expected a time in milliseconds between year 0 and year 9999, found ${moment}`)
  }
  return new Date(Math.floor(moment)).toISOString()
}

/** The way nearly all times are written. What needs a calendar (years below 1000, leap days) or has an offset is left to the slow reader. */
const usual =
  /^[1-9]\d{3}-(?:(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])|(?:0[13-9]|1[0-2])-(?:29|30)|(?:0[13578]|1[02])-31)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?Z$/

/** Milliseconds since 1970 of any RFC 3339 text; a fraction of a second and an offset are understood. */
export function parseTime(text: string): number {
  return parsed(text) ?? parseTimeSlowly(text, false)
}

/** The same for metav1.MicroTime, where the server insists on six digits after the second. */
export function parseMicroTime(text: string): number {
  return (text.length === 27 ? parsed(text) : undefined) ?? parseTimeSlowly(text, true)
}

/** A time as `formatTime` writes it. */
export function canonicalTime(text: string): string {
  return text.length === 20 && usual.test(text) ? text : formatTime(parseTime(text))
}

/** A time as `formatMicroTime` writes it. */
export function canonicalMicroTime(text: string): string {
  const isExact = text.length === 27 && text > "1970" && text < "2248"
  return isExact && usual.test(text) ? text : formatMicroTime(parseMicroTime(text))
}

function parsed(text: string): number | undefined {
  if (!usual.test(text)) return undefined
  if (text.length === 20) return Date.parse(text)
  return Date.parse(`${text.slice(0, 19)}Z`) + Number(text.slice(20, -1).padEnd(6, "0")) / 1000
}
