import { PilothouseError } from "@pilothouse/seams"
import type { Amount, QuantityFormat } from "./amount.ts"
import { compareDecimals, type Decimal, decimal, negateDecimal, roundedAwayFromZero, signOf } from "./decimal.ts"

/**
 * Leading zeros, digits, digits after the point, suffix. Each may be empty: upstream reads "m" and "." as zero.
 * No character fits two neighbours, so that there is one way to read a text: this takes linear time.
 */
const parts = /^([+-]?)0*((?:[1-9][0-9]*)?)(?:\.([0-9]*))?((?:(?:[eEinumkKMGTP]+[-+]?|[-+])[0-9]*)?)$/
/** Characters. Upstream reads any number of digits; the largest and smallest values it keeps need less than 30. */
const maxLength = 128
const wrongForm = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
const wrongNumber = "unable to parse numeric part of quantity"
const wrongSuffix = "unable to parse quantity's suffix"

const nano = -9
const maxInt64: Decimal = { mantissa: 2n ** 63n - 1n, scale: 0 }
const one: Decimal = { mantissa: 1, scale: 0 }

interface Suffix {
  readonly format: QuantityFormat
  /** Of ten; of two for BinarySI. */
  readonly exponent: number
}

const suffixes: ReadonlyMap<string, Suffix> = new Map<string, Suffix>([
  ["n", { format: "DecimalSI", exponent: -9 }],
  ["u", { format: "DecimalSI", exponent: -6 }],
  ["m", { format: "DecimalSI", exponent: -3 }],
  ["", { format: "DecimalSI", exponent: 0 }],
  ["k", { format: "DecimalSI", exponent: 3 }],
  ["M", { format: "DecimalSI", exponent: 6 }],
  ["G", { format: "DecimalSI", exponent: 9 }],
  ["T", { format: "DecimalSI", exponent: 12 }],
  ["P", { format: "DecimalSI", exponent: 15 }],
  ["E", { format: "DecimalSI", exponent: 18 }],
  ["Ki", { format: "BinarySI", exponent: 10 }],
  ["Mi", { format: "BinarySI", exponent: 20 }],
  ["Gi", { format: "BinarySI", exponent: 30 }],
  ["Ti", { format: "BinarySI", exponent: 40 }],
  ["Pi", { format: "BinarySI", exponent: 50 }],
  ["Ei", { format: "BinarySI", exponent: 60 }],
])

interface Scanned {
  readonly text: string
  readonly negative: boolean
  /** Digits before and after the point together. */
  readonly digits: string
  readonly decimals: number
  readonly suffix: Suffix
}

/** Reads "100m", "1.5Gi", "12e6". What is smaller than a nano becomes one. */
export function parseQuantity(text: string): Amount {
  return parsedQuickly(text) ?? parsedSlowly(text)
}

/** "100m", "64Mi": up to 14 digits that do not start with zero, no sign, no point. Undefined for everything else. */
function parsedQuickly(text: string): Amount | undefined {
  let value = 0
  let at = 0
  for (; at < text.length && at < 15; at++) {
    const digit = text.charCodeAt(at) - 48
    if (digit < 0 || digit > 9) break
    value = value * 10 + digit
  }
  if (at === 0 || at === 15 || text.startsWith("0")) return undefined
  const suffix = suffixes.get(text.slice(at))
  if (suffix === undefined) return undefined
  if (suffix.format === "DecimalSI")
    return amount({ mantissa: value, scale: suffix.exponent }, "DecimalSI", value % 1000 === 0 ? undefined : text)
  if (!isShort(at, suffix)) return undefined
  return amount({ mantissa: value * 2 ** suffix.exponent, scale: 0 }, "BinarySI", value % 8 === 0 ? undefined : text)
}

function parsedSlowly(text: string): Amount {
  if (text.length > maxLength) throw refuse(`quantities must have no more than ${maxLength} characters, found ${text.length}`)
  const match = parts.exec(text)
  if (match === null || text === "") throw refuse(wrongForm)
  const suffix = suffixes.get(match[4]!) ?? exponentSuffix(match[4]!)
  if (suffix === undefined) throw refuse(wrongSuffix)
  const fraction = match[3] ?? ""
  const scanned: Scanned = {
    text,
    negative: match[1] === "-",
    digits: (match[2] || "0") + fraction,
    decimals: fraction.length,
    suffix,
  }
  return suffix.format === "BinarySI" ? binary(scanned) : decimalAmount(scanned)
}

/** "e3", "E-6": 64 bits are read and 32 kept, as upstream. */
function exponentSuffix(suffix: string): Suffix | undefined {
  const match = /^[eE]([-+]?[0-9]+)$/.exec(suffix)
  if (match === null) return undefined
  const exponent = BigInt(match[1]!.replace("+", ""))
  if (BigInt.asIntN(64, exponent) !== exponent) return undefined
  return { format: "DecimalExponent", exponent: Number(BigInt.asIntN(32, exponent)) }
}

function decimalAmount(scanned: Scanned): Amount {
  const { digits, decimals, suffix, negative } = scanned
  const scale = suffix.exponent - decimals
  const exact = signed(digitsAt(digits, scale), negative)
  const short = digits.length <= 18 && scale >= nano
  if (!short && !hasDigits(scanned)) throw refuse(wrongNumber)
  // Upstream keeps the text of what looks canonical to it ("1.500", "+5m"), and the server gives it back as it was.
  const kept = short && scale % 3 === 0 && !digits.endsWith("000") && !digits.startsWith("0")
  return amount(roundedAwayFromZero(exact, nano), suffix.format, kept ? scanned.text : undefined)
}

/** Upstream looks for digits only where it needs big numbers: "Ti" is zero, "Pi" is wrong. */
function hasDigits({ text }: Scanned): boolean {
  return /^[+-]?\.?[0-9]/.test(text)
}

/** 15 digits less those that a power of two takes (6 for Mi): what upstream calculates without big numbers. */
function isShort(digits: number, suffix: Suffix): boolean {
  return 15 - digits - (suffix.exponent / 10) * 3 - 1 >= 0
}

function binary(scanned: Scanned): Amount {
  const { digits, decimals, suffix, negative } = scanned
  const short = decimals === 0 && isShort(digits.length, suffix)
  if (!short && !hasDigits(scanned)) throw refuse(wrongNumber)
  const size = roundedAwayFromZero(timesTwo(digits, -decimals, suffix.exponent), nano)
  if (short) return amount(signed(size, negative), "BinarySI", Number(digits) % 8 === 0 ? undefined : scanned.text)
  const capped = compareDecimals(size, maxInt64) > 0 ? maxInt64 : size
  const small = compareDecimals(capped, one) < 0 && signOf(capped) > 0
  return amount(signed(capped, negative), small ? "DecimalSI" : "BinarySI", undefined)
}

function timesTwo(digits: string, scale: number, exponent: number): Decimal {
  const product = Number(digits) * 2 ** exponent
  return Number.isSafeInteger(product) ? decimal(product, scale) : decimal(BigInt(digits) << BigInt(exponent), scale)
}

function digitsAt(digits: string, scale: number): Decimal {
  return digits.length <= 15 ? decimal(Number(digits), scale) : decimal(BigInt(digits), scale)
}

function signed(value: Decimal, negative: boolean): Decimal {
  return negative ? negateDecimal(value) : value
}

function amount({ mantissa, scale }: Decimal, format: QuantityFormat, text: string | undefined): Amount {
  return { mantissa, scale, format, text }
}

function refuse(why: string): PilothouseError {
  return new PilothouseError("INVALID", why)
}
