import { withoutTrailing } from "@pilothouse/seams"
import type { Amount } from "./amount.ts"
import { compareDecimals, type Decimal, inUnitsOf, signOf } from "./decimal.ts"
import { parseQuantity } from "./quantity-parse.ts"

/** Spaces around it; not the white space that JSON can only write as an escape ("5\n"): upstream trims the text before it reads the escapes. */
const space = /[^\S\t\n\v\f\r\ufeff]/

/** Returns the form in which the API server stores a quantity: "0.5" as "500m", "1024Ki" as "1Mi", the number 2 as "2". */
export function canonicalQuantity(value: string | number | bigint): string {
  return formatQuantity(parseQuantity(trimmed(String(value))))
}

function trimmed(text: string): string {
  let [start, end] = [0, text.length]
  while (start < end && space.test(text[start]!)) start++
  while (start < end && space.test(text[end - 1]!)) end--
  return text.slice(start, end)
}

const decimalSuffixes = ["n", "u", "m", "", "k", "M", "G", "T", "P", "E"] as const
const binarySuffixes = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"] as const

/**
 * The canonical text: no fraction, the greatest suffix that loses nothing, in the family the amount was written in.
 * 1500m stays, 1000m is 1, 1.5Gi is 1536Mi. Binary amounts that are small or not whole are written in decimals.
 */
export function formatQuantity(amount: Amount): string {
  return amount.text ?? canonical(amount)
}

function canonical(amount: Amount): string {
  if (signOf(amount) === 0) return "0"
  if (amount.format === "BinarySI" && isBinary(amount)) return binary(inUnitsOf(amount, 0))
  return decimalText(amount, amount.format === "DecimalExponent")
}

function isBinary(amount: Amount): boolean {
  const whole: Decimal = { mantissa: inUnitsOf(amount, 0), scale: 0 }
  const large = compareDecimals(whole, { mantissa: 1024, scale: 0 }) >= 0 || compareDecimals(whole, { mantissa: -1024, scale: 0 }) <= 0
  return large && compareDecimals(whole, amount) === 0
}

function binary(whole: number | bigint): string {
  let power = 0
  if (typeof whole === "number") {
    let rest = whole
    while (rest % 1024 === 0 && power < 6) [rest, power] = [rest / 1024, power + 1]
    return `${rest}${binarySuffixes[power]}`
  }
  let rest = whole
  while (rest % 1024n === 0n && power < 6) [rest, power] = [rest / 1024n, power + 1]
  return `${rest}${binarySuffixes[power]}`
}

/** 1200 × 10^-3 → 12 × 10^-1 → 1200 × 10^-3: zeros go into the exponent, and come back until it is a multiple of three. */
function decimalText({ mantissa, scale }: Decimal, asExponent: boolean): string {
  const text = String(mantissa)
  const digits = withoutTrailing(text, "0")
  const exponent = scale + text.length - digits.length
  const whole = Math.floor(exponent / 3) * 3
  // There is no suffix above E. Upstream leaves it out there, and 1000E comes back as 1: we write the zeros.
  const shown = asExponent ? whole : Math.min(whole, 18)
  return digits + "0".repeat(exponent - shown) + (asExponent ? exponentSuffix(shown) : decimalSuffixes[shown / 3 + 3])
}

function exponentSuffix(exponent: number): string {
  return exponent === 0 ? "" : `e${exponent}`
}
