import { exactNumber, fitsInt64 } from "@pilothouse/seams"
import type { Int64 } from "./scalars.ts"

/** Reports whether a value is an integer of 64 bits, in the form that Int64 has it: a bigint if and only if it is not a safe integer. */
export function isInt64(value: unknown): value is Int64 {
  return typeof value === "bigint" ? fitsInt64(value) && exactNumber(value) === value : Number.isSafeInteger(value)
}

/** A decimal integer as Go's strconv.ParseInt(text, 10, 64) reads it; undefined for anything else, also for one that 64 bits cannot hold. */
export function parseInt64(text: string): Int64 | undefined {
  // Leading zeros are allowed, and digits that no integer of 64 bits can have are not made a bigint.
  const [, sign = "", digits] = /^([+-]?)0*(\d{0,19})$/.exec(text) ?? []
  if (digits === undefined || !/\d$/.test(text)) return undefined
  const value = sign === "-" ? -BigInt(digits) : BigInt(digits)
  return fitsInt64(value) ? exactNumber(value) : undefined
}

/** -1, 0 or 1: for sorting. */
export function compareInt64(a: Int64, b: Int64): -1 | 0 | 1 {
  return a < b ? -1 : a > b ? 1 : 0
}

/** The exact sum. Beyond 64 bits it wraps around, as Go's does. */
export function addInt64(a: Int64, b: Int64): Int64 {
  if (typeof a === "number" && typeof b === "number" && Number.isSafeInteger(a + b)) return a + b
  return exactNumber(BigInt.asIntN(64, BigInt(a) + BigInt(b)))
}

/** Go's longest time.Duration, 2^63 nanoseconds: 292 years. */
const maxDuration = 9_223_372_036_854

/**
 * A number of seconds in milliseconds, at most 292 years: a moment so long from now can still be written and waited for. Go's controllers multiply
 * without a bound, so that a deadline of 2^53 seconds may have passed when it is set.
 */
export function secondsInMilliseconds(seconds: Int64): number {
  return Math.min(maxDuration, Math.max(-maxDuration, Number(seconds) * 1000))
}
