import { PilothouseError } from "@pilothouse/seams"
import { quoted } from "./quoted.ts"

/** Reads a time as Go does, and says what is wrong with it in Go's words, because that is what the API server answers. */
export function parseTimeSlowly(text: string, micro: boolean): number {
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
