// Nanoseconds to and from Go's text for durations: "1h0m0s", "1.5s", "300ms", "0s".

import { durationParts, withoutTrailing } from "@pilothouse/seams"

const second = 1000000000n
const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1000000n,
  s: second,
  m: 60n * second,
  h: 3600n * second,
}

/** Formats nanoseconds as Go prints a time.Duration: "1h2m3.5s", "1.5ms", "0s". */
export function durationText(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return "0s"
  if (nanoseconds < 0n) return `-${durationText(-nanoseconds)}`
  if (nanoseconds < 1000n) return `${nanoseconds}ns`
  if (nanoseconds < 1000000n) return `${decimal(nanoseconds, 1000n)}µs`
  if (nanoseconds < second) return `${decimal(nanoseconds, 1000000n)}ms`
  const minutes = nanoseconds / (60n * second)
  const seconds = `${decimal(nanoseconds % (60n * second), second)}s`
  if (minutes === 0n) return seconds
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`
}

/** decimal(1500n, 1000n) = "1.5" */
function decimal(value: bigint, unit: bigint): string {
  const digits = String(unit).length - 1
  const fraction = withoutTrailing(String(value % unit).padStart(digits, "0"), "0")
  return fraction === "" ? String(value / unit) : `${value / unit}.${fraction}`
}

/** undefined if the text is no duration. */
export function parseDuration(text: string): bigint | undefined {
  const unsigned = text.replace(/^[+-]/, "")
  const parts = unsigned === "0" ? [] : durationParts(unsigned)
  if (parts === undefined) return undefined
  let total = 0n
  for (const { whole, fraction = "", unit } of parts) {
    const scale = units[unit] ?? 0n
    // BigInt("") is zero: ".5s" has no whole part.
    total += BigInt(whole) * scale + (BigInt(fraction) * scale) / 10n ** BigInt(fraction.length)
  }
  return text.startsWith("-") ? -total : total
}
