import { PilothouseError } from "./errors.ts"

/** Milliseconds, or the way Go and Kubernetes write durations: "1h30m", "5m", "1.5s", "250ms". */
export type Duration = number | string

const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1000, ms: 1 }

export function milliseconds(duration: Duration): number {
  if (typeof duration === "number") return duration
  const parts = [...duration.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)]
  if (parts.length === 0 || parts.map((part) => part[0]).join("") !== duration) {
    throw new PilothouseError("INVALID", `expected a duration such as "1h30m", "5m", "1.5s" or "250ms", found ${JSON.stringify(duration)}`)
  }
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * units[unit!]!, 0)
}
