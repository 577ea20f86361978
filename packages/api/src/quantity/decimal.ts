import { PilothouseError } from "@pilothouse/seams"

/**
 * An exact decimal number: mantissa × 10^scale.
 * Always true: the mantissa is a number when it is a safe integer, and a bigint otherwise, so that everyday amounts never pay for big ones.
 */
export interface Decimal {
  readonly mantissa: number | bigint
  readonly scale: number
}

/** What a number can be multiplied with before it has to become a bigint: 10^15 is the last power of ten below 2^53. */
const powers: readonly number[] = Array.from({ length: 16 }, (_, places) => 10 ** places)

/** Beyond this the exact sum would have more digits than any reader needs. */
const maxGap = 10_000

export function decimal(mantissa: number | bigint, scale: number): Decimal {
  if (typeof mantissa === "number") return { mantissa, scale }
  const small = mantissa >= BigInt(Number.MIN_SAFE_INTEGER) && mantissa <= BigInt(Number.MAX_SAFE_INTEGER)
  return { mantissa: small ? Number(mantissa) : mantissa, scale }
}

export function signOf({ mantissa }: Decimal): -1 | 0 | 1 {
  return mantissa > 0 ? 1 : mantissa < 0 ? -1 : 0
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  if (signOf(b) === 0) return a
  if (signOf(a) === 0) return b
  const scale = Math.min(a.scale, b.scale)
  const [left, right] = [atScale(a, scale), atScale(b, scale)]
  if (typeof left === "number" && typeof right === "number" && Number.isSafeInteger(left + right)) return { mantissa: left + right, scale }
  return decimal(BigInt(left) + BigInt(right), scale)
}

export function negateDecimal({ mantissa, scale }: Decimal): Decimal {
  // No minus zero: it would be another value to Object.is, and so to every test.
  return { mantissa: signOf({ mantissa, scale }) === 0 ? 0 : -mantissa, scale }
}

export function multiplyDecimal({ mantissa, scale }: Decimal, factor: bigint): Decimal {
  return decimal(BigInt(mantissa) * factor, scale)
}

/** Orders two decimals exactly, in time that does not grow with the distance of their scales. */
export function compareDecimals(a: Decimal, b: Decimal): -1 | 0 | 1 {
  if (a.scale === b.scale) return order(a.mantissa, b.mantissa)
  const sign = signOf(a)
  if (sign !== signOf(b) || sign === 0) return order(sign, signOf(b))
  // Far apart, the place of the first digit tells, without a number of a million digits.
  const magnitudes = Math.abs(a.scale - b.scale) < powers.length ? 0 : order(magnitude(a), magnitude(b))
  if (magnitudes !== 0) return sign > 0 ? magnitudes : order(0, magnitudes)
  const scale = Math.min(a.scale, b.scale)
  return order(atScale(a, scale), atScale(b, scale))
}

function order(a: number | bigint, b: number | bigint): -1 | 0 | 1 {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Where the first digit stands: 3 for 100 and 999, -2 for 0.005. */
function magnitude(value: Decimal): number {
  return digitsOf(value) + value.scale
}

function digitsOf({ mantissa }: Decimal): number {
  return String(mantissa).length - (mantissa < 0 ? 1 : 0)
}

/** The mantissa at a lower scale. */
function atScale(value: Decimal, scale: number): number | bigint {
  const places = value.scale - scale
  if (places === 0) return value.mantissa
  if (places < powers.length && typeof value.mantissa === "number") {
    const product = value.mantissa * powers[places]!
    if (Number.isSafeInteger(product)) return product
  }
  if (places > maxGap) throw new PilothouseError("INVALID", `cannot calculate exactly with numbers that are ${places} decimal places apart`)
  return BigInt(value.mantissa) * 10n ** BigInt(places)
}

/** The whole number of 10^scale that is nearest at or beyond the value, going away from zero: 1.1 and -1.1 at scale 0 are 2 and -2. */
export function roundedAwayFromZero(value: Decimal, scale: number): Decimal {
  const places = scale - value.scale
  if (places <= 0) return value
  if (places > digitsOf(value)) return { mantissa: signOf(value), scale }
  if (typeof value.mantissa === "number" && places < powers.length) {
    const quotient = value.mantissa / powers[places]!
    // Below 2^53 the quotient of two integers is never rounded onto the wrong side of an integer.
    return { mantissa: Math.sign(quotient) * Math.ceil(Math.abs(quotient)), scale }
  }
  const [whole, step] = [BigInt(value.mantissa), 10n ** BigInt(places)]
  const away = whole % step === 0n ? 0n : BigInt(signOf(value))
  return decimal(whole / step + away, scale)
}

/** The value in whole units of 10^scale, rounded away from zero. */
export function inUnitsOf(value: Decimal, scale: number): number | bigint {
  const rounded = roundedAwayFromZero(value, scale)
  return decimal(atScale(rounded, scale), 0).mantissa
}
