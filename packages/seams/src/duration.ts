import { PilothouseError } from "./errors.ts"

/** Milliseconds, or the way Go and Kubernetes write durations: "1h30m", "5m", "1.5s", "250ms". */
export type Duration = number | string

const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1, us: 1e-3, µs: 1e-3, ns: 1e-6 }

/** Never negative and never NaN; Infinity only where it was given as a number. */
export function milliseconds(duration: Duration): number {
  if (typeof duration === "number") return checked(duration)
  if (duration === "0") return 0
  const parts = [...duration.matchAll(/(\d+(?:\.\d+)?)(ms|us|µs|ns|h|m|s)/g)]
  if (parts.length === 0 || parts.map((part) => part[0]).join("") !== duration) {
    throw new PilothouseError("INVALID", `expected a duration such as "1h30m", "5m", "1.5s" or "250ms", found ${JSON.stringify(duration)}`)
  }
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * units[unit!]!, 0)
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
