/** A number in decimal digits: 0.d1d2d3… × 10^point. Zero has no digits. */
interface Decimal {
  readonly digits: string
  readonly point: number
}

/** Writes a double with so many digits after the point: all of them count, and halves are rounded to even, as Go does. */
export function fixed(value: number, fractionDigits: number): string {
  if (fractionDigits <= 100 && Math.abs(value) < 1e21 && !isHalf(value, fractionDigits)) return value.toFixed(fractionDigits)
  const exact = decimalOf(Math.abs(value))
  const { digits, point } = rounded(exact, exact.point + fractionDigits)
  const whole = digits.slice(0, Math.max(0, point)).padEnd(point, "0") || "0"
  const fraction = `${"0".repeat(Math.max(0, -point))}${digits.slice(Math.max(0, point))}`.slice(0, fractionDigits)
  return `${value < 0 ? "-" : ""}${whole}${fractionDigits === 0 ? "" : `.${fraction.padEnd(fractionDigits, "0")}`}`
}

/** Writes a double with one digit before the point, so many behind it, and an exponent of at least two digits. */
export function scientific(value: number, fractionDigits: number): string {
  const { digits, point } = rounded(decimalOf(Math.abs(value)), fractionDigits + 1)
  const [first = "0", rest] = [digits[0], digits.slice(1).padEnd(fractionDigits, "0")]
  const exponent = digits === "" ? 0 : point - 1
  const sign = value < 0 ? "-" : ""
  const raised = `e${exponent < 0 ? "-" : "+"}${Math.abs(exponent).toString().padStart(2, "0")}`
  return `${sign}${first}${rest === "" ? "" : `.${rest}`}${raised}`
}

/** Reports whether a double is just between two numbers of so many digits; the engine rounds it up. The product is exact: it only moves the point. */
function isHalf(value: number, fractionDigits: number): boolean {
  return Math.abs((value * 2 ** (fractionDigits + 1)) % 2) === 1
}

const bits = new DataView(new ArrayBuffer(8))

/** Returns all digits of a double that is not negative: it is a whole number m divided by a power of two, and m / 2^p = m × 5^p / 10^p. */
function decimalOf(value: number): Decimal {
  bits.setFloat64(0, value)
  const raw = bits.getBigUint64(0)
  const [exponent, stored] = [Number(raw >> 52n), raw & (2n ** 52n - 1n)]
  const mantissa = exponent === 0 ? stored : stored + 2n ** 52n
  if (mantissa === 0n) return { digits: "", point: 0 }
  const power = 1075 - Math.max(1, exponent)
  const whole = power > 0 ? mantissa * 5n ** BigInt(power) : mantissa << BigInt(-power)
  const digits = whole.toString()
  return { digits, point: digits.length - Math.max(0, power) }
}

/** Keeps the first digits. */
function rounded({ digits, point }: Decimal, count: number): Decimal {
  if (count >= digits.length) return { digits, point }
  if (count < 0) return { digits: "", point: 0 }
  const [kept, rest] = [digits.slice(0, count), digits.slice(count)]
  const half = "5".padEnd(rest.length, "0")
  const isUp = rest > half || (rest === half && Number(kept.at(-1) ?? 0) % 2 === 1)
  if (!isUp) return { digits: kept, point }
  const next = (BigInt(kept || "0") + 1n).toString()
  const carried = next.length - kept.length
  return { digits: next.slice(0, Math.max(1, count)), point: point + carried }
}
