// Nanoseconds to and from Go's text for durations: "1h0m0s", "1.5s", "300ms", "0s".

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
  const fraction = String(value % unit)
    .padStart(digits, "0")
    .replace(/0+$/, "")
  return fraction === "" ? String(value / unit) : `${value / unit}.${fraction}`
}

/** undefined if the text is no duration. */
export function parseDuration(text: string): bigint | undefined {
  const match = /^([+-]?)((?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+|0)$/.exec(text)
  if (match === null) return undefined
  let total = 0n
  for (const [, whole = "", fraction = "", unit = ""] of (match[2] ?? "").matchAll(/(\d*)\.?(\d*)(ns|us|µs|μs|ms|s|m|h)/g)) {
    const scale = units[unit] ?? 0n
    total += BigInt(whole === "" ? 0 : whole) * scale + (BigInt(fraction === "" ? 0 : fraction) * scale) / 10n ** BigInt(fraction.length)
  }
  return match[1] === "-" ? -total : total
}
