import { fail } from "./value.ts"

type Int = number | bigint

export const maxInt = 2n ** 63n - 1n
export const minInt = -(2n ** 63n)
export const maxUint = 2n ** 64n - 1n

/** Returns an int in its one form: a number within ±2^53, a bigint beyond; fails outside 64 bits. */
export function int(value: bigint): Int {
  if (value > maxInt || value < minInt) fail("integer overflow")
  const small = Number(value)
  return Number.isSafeInteger(small) ? small : value
}

/** Returns a value if it fits into 64 bits without a sign; fails otherwise. */
export function checkUint(value: bigint): bigint {
  if (value < 0n || value > maxUint) fail("unsigned integer overflow")
  return value
}

/** Small sums are exact in a number; the rest goes through bigints and their overflow check. */
export function addInts(left: Int, right: Int): Int {
  if (typeof left === "number" && typeof right === "number") {
    const sum = left + right
    if (Number.isSafeInteger(sum)) return sum
  }
  return int(BigInt(left) + BigInt(right))
}

/** Returns `left - right`. */
export function subtractInts(left: Int, right: Int): Int {
  if (typeof left === "number" && typeof right === "number") {
    const difference = left - right
    if (Number.isSafeInteger(difference)) return difference
  }
  return int(BigInt(left) - BigInt(right))
}

/** Returns `left * right`; `+ 0` keeps a negative zero out. */
export function multiplyInts(left: Int, right: Int): Int {
  if (typeof left === "number" && typeof right === "number") {
    const product = left * right
    if (Number.isSafeInteger(product)) return product + 0
  }
  return int(BigInt(left) * BigInt(right))
}

/** Returns the quotient, rounded towards zero. */
export function divideInts(left: Int, right: Int): Int {
  if (Number(right) === 0) fail("division by zero")
  if (typeof left === "number" && typeof right === "number") return Math.trunc(left / right) + 0
  return int(BigInt(left) / BigInt(right))
}

/** Returns the remainder, with the sign of the dividend. */
export function moduloInts(left: Int, right: Int): Int {
  if (Number(right) === 0) fail("modulus by zero")
  if (typeof left === "number" && typeof right === "number") return (left % right) + 0
  return int(BigInt(left) % BigInt(right))
}

/** Returns `-value`. */
export function negateInt(value: Int): Int {
  return typeof value === "number" ? 0 - value : int(-value)
}

/** Returns the int that a double truncates to; fails where 64 bits do not hold it. */
export function doubleToInt(value: number): Int {
  if (!(value > -(2 ** 63) && value < 2 ** 63)) fail("integer overflow")
  return int(BigInt(Math.trunc(value)))
}

/** Returns the unsigned integer that a double truncates to. */
export function doubleToUint(value: number): bigint {
  if (!(value >= 0 && value < 2 ** 64)) fail("unsigned integer overflow")
  return BigInt(Math.trunc(value))
}

/** Reads decimal digits as Go's strconv does, with an optional sign; returns undefined for anything else or out of range. */
export function parseInt64(text: string): Int | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined
  const magnitude = magnitudeOf(text.replace(/^[+-]/, ""))
  const value = text.startsWith("-") ? -magnitude : magnitude
  return value > maxInt || value < minInt ? undefined : int(value)
}

/** Reads unsigned decimal digits; returns undefined for anything else or out of range. */
export function parseUint64(text: string): bigint | undefined {
  if (!/^[0-9]+$/.test(text)) return undefined
  const value = magnitudeOf(text)
  return value > maxUint ? undefined : value
}

/** Of a text with more digits than 64 bits hold, only so many count that the number is too large: reading millions would take a third of a second. */
function magnitudeOf(digits: string): bigint {
  return BigInt(digits.replace(/^0+/, "").slice(0, 21))
}
