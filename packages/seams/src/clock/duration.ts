import { PilothouseError } from "../errors/errors.ts"

/**
 * Milliseconds, or the way Go and Kubernetes write durations: "1h30m", "5m", "1.5s", "250ms". The type has what people write; `parseDuration` reads a text
 * that is only known at run time, in any order of units that Go takes.
 */
export type Duration =
  | number
  | "0"
  | `${number}${Unit}`
  | `${number}h${number}m`
  | `${number}h${number}m${number}s`
  | `${number}m${number}s`

type Unit = "h" | "m" | "s" | "ms" | "us" | "µs" | "μs" | "ns"

const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1, us: 1e-3, µs: 1e-3, μs: 1e-3, ns: 1e-6 }

/** Characters. The longest duration that Go writes has 23; a longer text is refused before it is read. */
const maxLength = 64

/** One number of a duration with its unit: "1.5h". */
export interface DurationPart {
  readonly whole: string
  /** The digits after the point; undefined where there is no point. */
  readonly fraction: string | undefined
  readonly unit: string
  readonly milliseconds: number
}

/** The parts of "1h30m" as Go's time package reads it, without a sign; undefined for any other text. */
export function durationParts(text: string): readonly DurationPart[] | undefined {
  if (text === "" || text.length > maxLength) return undefined
  const parts: DurationPart[] = []
  let read = 0
  for (const [part, whole = "", fraction, unit = ""] of text.matchAll(/(\d*)(?:\.(\d*))?(ns|us|µs|μs|ms|s|m|h)/gy)) {
    if (whole === "" && !fraction) return undefined
    parts.push({ whole, fraction, unit, milliseconds: Number(`${whole}.${fraction ?? ""}`) * units[unit]! })
    read += part.length
  }
  return read === text.length ? parts : undefined
}

/** Reads a duration of a flag or a file. INVALID where it is none. */
export function parseDuration(text: string): Duration {
  milliseconds(text)
  return text as Duration
}

/** Never negative and never NaN; Infinity only where it was given as a number. A text that is no duration is INVALID. */
export function milliseconds(duration: Duration | string): number {
  if (typeof duration === "number") return checked(duration)
  if (duration === "0") return 0
  const parts = durationParts(duration)
  // Stricter than Go: ".5s" and "1.s" are more often a slip than meant.
  if (parts?.every(({ whole, fraction }) => whole !== "" && fraction !== "") !== true) {
    const found =
      duration.length > maxLength
        ? `${JSON.stringify(duration.slice(0, maxLength))}… (${duration.length} characters)`
        : JSON.stringify(duration)
    throw new PilothouseError("INVALID", `expected a duration such as "1h30m", "5m", "1.5s" or "250ms", found ${found}`)
  }
  return parts.reduce((sum, part) => sum + part.milliseconds, 0)
}

function checked(duration: number): number {
  if (duration >= 0) return duration
  throw new PilothouseError("INVALID", `expected a duration of 0 ms or more, found ${duration}`)
}

/** As Go writes it: 90 s is "1m30s". */
export function formatDuration(milliseconds: number): string {
  if (milliseconds === 0) return "0s"
  if (milliseconds < 1000) return `${milliseconds}ms`
  const [hours, minutes, seconds] = [
    Math.floor(milliseconds / 3_600_000),
    Math.floor(milliseconds / 60_000) % 60,
    (milliseconds / 1000) % 60,
  ]
  return `${hours > 0 ? `${hours}h` : ""}${minutes > 0 ? `${minutes}m` : ""}${seconds > 0 ? `${seconds}s` : ""}`
}
