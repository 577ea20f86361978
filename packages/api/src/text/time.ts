import { PilothouseError } from "@pilothouse/seams"
import { quoted } from "./quoted.ts"

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
const commonForm =
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
  return text.length === 20 && commonForm.test(text) ? text : formatTime(parseTime(text))
}

/** A time as `formatMicroTime` writes it. */
export function canonicalMicroTime(text: string): string {
  const isExact = text.length === 27 && text > "1970" && text < "2248"
  return isExact && commonForm.test(text) ? text : formatMicroTime(parseMicroTime(text))
}

function parsed(text: string): number | undefined {
  if (!commonForm.test(text)) return undefined
  if (text.length === 20) return Date.parse(text)
  return Date.parse(`${text.slice(0, 19)}Z`) + Number(text.slice(20, -1).padEnd(6, "0")) / 1000
}

/** Reads a time as Go does, and says what is wrong with it in Go's words, because that is what the API server answers. */
function parseTimeSlowly(text: string, micro: boolean): number {
  const cursor: Cursor = { text, rest: text, layout: `2006-01-02T15:04:05${micro ? ".000000" : ""}Z07:00` }
  const year = number(cursor, "2006", 4, 4)
  const month = field(cursor, "-", "01", 2, [1, 12, "month"])
  const day = field(cursor, "-", "02", 2, [0, 99, "day"])
  const hour = field(cursor, "T", "15", 1, [0, 23, "hour"])
  const minute = field(cursor, ":", "04", 2, [0, 59, "minute"])
  const second = field(cursor, ":", "05", 2, [0, 59, "second"])
  const fraction = micro ? sixDigits(cursor) : anyDigits(cursor)
  const offset = zone(cursor)
  if (cursor.rest !== "") throw wrong(cursor, `: extra text: ${quoted(cursor.rest)}`)
  if (day < 1 || day > daysIn(year, month)) throw wrong(cursor, ": day out of range")
  const midnight = new Date(0).setUTCFullYear(year, month - 1, day)
  return midnight + ((hour * 60 + minute - offset) * 60 + second) * 1000 + fraction
}

interface Cursor {
  readonly text: string
  readonly layout: string
  rest: string
}

function wrong(cursor: Cursor, why: string): PilothouseError {
  return new PilothouseError("INVALID", `parsing time ${quoted(cursor.text)}${why}`)
}

function unreadable(cursor: Cursor, element: string): PilothouseError {
  return wrong(cursor, ` as ${quoted(cursor.layout)}: cannot parse ${quoted(cursor.rest)} as ${quoted(element)}`)
}

function field(cursor: Cursor, before: string, element: string, min: number, [low, high, name]: readonly [number, number, string]): number {
  if (!cursor.rest.startsWith(before)) throw unreadable(cursor, before)
  cursor.rest = cursor.rest.slice(before.length)
  const value = number(cursor, element, min, 2)
  if (value < low || value > high) throw wrong(cursor, `: ${name} out of range`)
  return value
}

/** Between min and max digits. */
function number(cursor: Cursor, element: string, min: number, max: number): number {
  const digits = /^\d*/.exec(cursor.rest.slice(0, max))![0]
  if (digits.length < min) throw unreadable(cursor, element)
  cursor.rest = cursor.rest.slice(digits.length)
  return Number(digits)
}

/** Milliseconds. Go reads a comma for the point, and any number of digits of which six are kept: nothing in Kubernetes is finer. */
function anyDigits(cursor: Cursor): number {
  const match = /^[.,](\d+)/.exec(cursor.rest)
  if (match === null) return 0
  cursor.rest = cursor.rest.slice(match[0].length)
  return Number(match[1]!.slice(0, 6).padEnd(6, "0")) / 1e3
}

function sixDigits(cursor: Cursor): number {
  const match = /^[.,](\d{6})/.exec(cursor.rest)
  if (match === null) throw unreadable(cursor, ".000000")
  cursor.rest = cursor.rest.slice(7)
  return Number(match[1]) / 1e3
}

/** Minutes east of Greenwich. */
function zone(cursor: Cursor): number {
  if (cursor.rest.startsWith("Z")) {
    cursor.rest = cursor.rest.slice(1)
    return 0
  }
  const match = /^([+-])(\d\d):(\d\d)/.exec(cursor.rest)
  if (match === null) throw unreadable(cursor, "Z07:00")
  const [hours, minutes] = [Number(match[2]), Number(match[3])]
  if (hours > 24) throw wrong(cursor, ": time zone offset hour out of range")
  if (minutes > 60) throw wrong(cursor, ": time zone offset minute out of range")
  cursor.rest = cursor.rest.slice(6)
  return (match[1] === "-" ? -1 : 1) * (hours * 60 + minutes)
}

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28
  return [4, 6, 9, 11].includes(month) ? 30 : 31
}
