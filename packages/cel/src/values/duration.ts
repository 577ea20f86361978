import { plainDigits } from "./doubles.ts"
import { fail } from "./value.ts"

const maxNanoseconds = 2n ** 63n - 1n

/** A span of time. Invariant: its nanoseconds fit into 64 bits. */
export class Duration {
  readonly nanoseconds: bigint

  constructor(nanoseconds: bigint) {
    if (typeof nanoseconds !== "bigint")
      throw new TypeError(`expected the nanoseconds of a Duration as a bigint, found ${String(nanoseconds)}`)
    this.nanoseconds = nanoseconds
  }

  /** Returns the duration of nanoseconds; fails where 64 bits do not hold them. */
  static of(nanoseconds: bigint): Duration {
    if (nanoseconds > maxNanoseconds || nanoseconds < -maxNanoseconds - 1n) fail("duration overflow")
    return new Duration(nanoseconds)
  }

  /** Writes the duration in seconds, for example `5400s` or `0.001s`; as upstream with the digits of a double, which are not all of a long one. */
  toString(): string {
    const second = 1_000_000_000n
    return `${plainDigits(Number(this.nanoseconds / second) + Number(this.nanoseconds % second) / 1e9)}s`
  }

  toJSON(): string {
    return this.toString()
  }
}

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
}

/** Reads a duration as Go writes it (`1h30m`, `-1.5s`); returns undefined for anything else. */
export function parseDuration(text: string): Duration | undefined {
  let rest = text.replace(/^[+-]/, "")
  if (rest === "0") return new Duration(0n)
  if (rest === "") return undefined
  let total = 0n
  while (rest !== "") {
    const match = /^([0-9]*)(?:\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h)/.exec(rest)
    if (!match || (match[1] === "" && !match[2])) return undefined
    const [whole, fraction = "", unit = ""] = [(match[1] as string).replace(/^0+/, ""), match[2], match[3]]
    if (whole.length > maxDigits) return undefined
    total += BigInt(whole) * (units[unit] as bigint) + fractionOf(fraction, Number(units[unit]))
    if (total > maxNanoseconds + 1n) return undefined
    rest = rest.slice(match[0].length)
  }
  if (text.startsWith("-")) return new Duration(-total)
  return total > maxNanoseconds ? undefined : new Duration(total)
}

/** 64 bits hold no more. */
const maxDigits = 19

/** Zeros and digits behind these do not change what a double holds. */
const fractionDigits = 330

/** Returns the nanoseconds of a fraction. Go counts as many digits as 64 bits hold, and in doubles: 0.3333333333333333333h are 1200 s. */
function fractionOf(digits: string, unit: number): bigint {
  let [value, scale] = [0n, 1]
  for (const digit of digits.slice(0, fractionDigits)) {
    const next = value * 10n + BigInt(digit)
    if (value > maxNanoseconds / 10n || next > maxNanoseconds + 1n) break
    value = next
    scale *= 10
  }
  return BigInt(Math.trunc(Number(value) * (unit / scale)))
}
