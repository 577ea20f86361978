import { PilothouseError } from "@pilothouse/seams"
import {
  addDecimals,
  compareDecimals,
  type Decimal,
  decimal,
  inUnitsOf,
  multiplyDecimal,
  negateDecimal,
  roundedAwayFromZero,
  signOf,
} from "./decimal.ts"

/** The family a quantity was written in, and is written in again: 100m and 5G; 64Mi; 12e6. */
export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent"

/** A quantity that can be calculated with: exactly mantissa × 10^scale, never a floating-point number. */
export interface Amount extends Decimal {
  readonly format: QuantityFormat
  /** The text it was read from, where the server would give just that back. */
  readonly text: string | undefined
}

/** The amount 0. */
export const zeroAmount: Amount = Object.freeze({ mantissa: 0, scale: 0, format: "DecimalSI", text: undefined })

/** Options of `amountOf`. */
export interface AmountOptions {
  readonly format?: QuantityFormat
  /** -3 when the value is in thousandths. */
  readonly scale?: number
}

/** From a whole number. */
export function amountOf(value: number | bigint, options: AmountOptions = {}): Amount {
  const { format = "DecimalSI", scale = 0 } = options
  if (typeof value === "number" && !Number.isSafeInteger(value)) {
    throw new PilothouseError("INVALID", `expected a whole number below 2^53 (or a bigint), found ${value}`)
  }
  return made(decimal(value, scale), format)
}

function made({ mantissa, scale }: Decimal, format: QuantityFormat): Amount {
  return { mantissa, scale, format, text: undefined }
}

/** -1, 0 or 1. */
export function compareAmounts(a: Amount, b: Amount): -1 | 0 | 1 {
  return compareDecimals(a, b)
}

/**
 * Adds two amounts. The format is that of the first, or of the second where the first is zero: a sum that starts at nothing is written as its parts
 * are.
 */
export function addAmounts(a: Amount, b: Amount): Amount {
  return made(addDecimals(a, b), isZeroAmount(a) ? b.format : a.format)
}

/** Subtracts the second amount from the first, exactly. */
export function subtractAmounts(a: Amount, b: Amount): Amount {
  return made(addDecimals(a, negateDecimal(b)), isZeroAmount(a) ? b.format : a.format)
}

/** Returns the amount with the other sign. */
export function negateAmount(amount: Amount): Amount {
  return made(negateDecimal(amount), amount.format)
}

/** Times a whole number. */
export function multiplyAmount(amount: Amount, factor: number | bigint): Amount {
  return made(multiplyDecimal(amount, BigInt(factor)), amount.format)
}

/** Returns the greater amount; of equal ones the first. */
export function maxAmount(a: Amount, b: Amount): Amount {
  return compareAmounts(a, b) >= 0 ? a : b
}

/** Returns the smaller amount; of equal ones the first. */
export function minAmount(a: Amount, b: Amount): Amount {
  return compareAmounts(a, b) <= 0 ? a : b
}

/** Reports whether the amount is 0. */
export function isZeroAmount(amount: Amount): boolean {
  return signOf(amount) === 0
}

/** Returns the sign of the amount. */
export function amountSign(amount: Amount): -1 | 0 | 1 {
  return signOf(amount)
}

/** Whole units, rounded away from zero: bytes of memory, numbers of pods. Above 2^53 the nearest number there is. */
export function amountValue(amount: Amount): number {
  return nearest(roundedAwayFromZero(amount, 0))
}

/** Thousandths, rounded away from zero: what CPU is counted in. */
export function amountMilliValue(amount: Amount): number {
  const { mantissa, scale } = roundedAwayFromZero(amount, -3)
  return nearest({ mantissa, scale: scale + 3 })
}

function nearest({ mantissa, scale }: Decimal): number {
  return scale === 0 ? Number(mantissa) : Number(`${mantissa}e${scale}`)
}

/** Whole units of 10^scale, rounded away from zero, exactly. */
export function amountScaledValue(amount: Amount, scale: number): bigint {
  return BigInt(inUnitsOf(amount, scale))
}

/** The nearest floating-point number: for ratios and charts, not for sums. */
export function approximateAmount(amount: Amount): number {
  return nearest(amount)
}
