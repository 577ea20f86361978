import { withoutTrailingZeros } from "./text.ts"
import { fail } from "./value.ts"

const maxNanoseconds = 2n ** 63n - 1n

/** A span of time. Invariant: its nanoseconds fit into 64 bits. */
export class Duration {
  readonly nanoseconds: bigint

  constructor(nanoseconds: bigint) {
    this.nanoseconds = nanoseconds
  }

  /** Returns the duration of nanoseconds; fails where 64 bits do not hold them. */
  static of(nanoseconds: bigint): Duration {
    if (nanoseconds > maxNanoseconds || nanoseconds < -maxNanoseconds - 1n) fail("duration overflow")
    return new Duration(nanoseconds)
  }

  /** Writes the duration in seconds, for example `5400s` or `0.001s`. */
  toString(): string {
    const sign = this.nanoseconds < 0n ? "-" : ""
    const magnitude = this.nanoseconds < 0n ? -this.nanoseconds : this.nanoseconds
    const fraction = withoutTrailingZeros((magnitude % 1_000_000_000n).toString().padStart(9, "0"))
    return `${sign}${magnitude / 1_000_000_000n}${fraction === "" ? "" : `.${fraction}`}s`
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
  const sign = text.startsWith("-") ? -1n : 1n
  let rest = text.replace(/^[+-]/, "")
  if (rest === "0") return new Duration(0n)
  if (rest === "") return undefined
  let total = 0n
  while (rest !== "") {
    const match = /^([0-9]*)(?:\.([0-9]*))?(ns|us|µs|μs|ms|s|m|h)/.exec(rest)
    if (!match || (match[1] === "" && !match[2])) return undefined
    const [whole, fraction = "", unit = ""] = [match[1] as string, match[2], match[3]]
    const scale = units[unit] as bigint
    total += BigInt(whole || "0") * scale + (BigInt(fraction || "0") * scale) / 10n ** BigInt(fraction.length)
    rest = rest.slice(match[0].length)
  }
  const signed = sign * total
  return signed > maxNanoseconds || signed < -maxNanoseconds - 1n ? undefined : new Duration(signed)
}
