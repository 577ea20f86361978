import { humanDuration } from "./human-duration.ts"

/** How long ago a moment is: "5m", or "<unknown>" where there is none. */
export function age(timestamp: string | null | undefined, now: number): string {
  if (timestamp === undefined || timestamp === null || timestamp === "") return "<unknown>"
  const time = Date.parse(timestamp)
  return Number.isNaN(time) ? "<unknown>" : humanDuration(now - time)
}
