/**
 * A duration for people, with two or three significant figures, by upstream's steps:
 * seconds up to 2 m, then m+s up to 10 m, m up to 3 h, h+m up to 8 h, h up to 2 d, d+h up to 8 d, d up to 2 y, y+d up to 8 y, y.
 */
export function humanDuration(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000)
  // Clocks of two machines may differ: up to two seconds in the future count as now.
  if (seconds < -1) return "<invalid>"
  if (seconds < 0) return "0s"
  if (seconds < 120) return `${seconds}s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 10) return twoUnits(minutes, "m", seconds % 60, "s")
  if (minutes < 180) return `${minutes}m`
  const hours = Math.floor(minutes / 60)
  if (hours < 8) return twoUnits(hours, "h", minutes % 60, "m")
  if (hours < 48) return `${hours}h`
  const days = Math.floor(hours / 24)
  if (days < 8) return twoUnits(days, "d", hours % 24, "h")
  if (days < 365 * 2) return `${days}d`
  const years = Math.floor(days / 365)
  return years < 8 ? twoUnits(years, "y", days % 365, "d") : `${years}y`
}

function twoUnits(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`
}

/** Formats how long ago a moment is: "5m", or "<unknown>" where there is none. */
export function age(timestamp: string | null | undefined, now: number): string {
  if (timestamp === undefined || timestamp === null || timestamp === "") return "<unknown>"
  const time = Date.parse(timestamp)
  return Number.isNaN(time) ? "<unknown>" : humanDuration(now - time)
}
