import { formatDuration } from "@pilothouse/seams"

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
] as const

/** "12s", "5m", "3h", "2d": near enough for "how long ago". */
export function shortDuration(milliseconds: number): string {
  const [name, size] = units.find(([, min]) => milliseconds >= min) ?? ["s", 1000]
  return `${Math.max(0, Math.floor(milliseconds / size))}${name}`
}

/** "4m59s": time that is left, to the second. */
export function remaining(milliseconds: number): string {
  return formatDuration(Math.max(1, Math.round(milliseconds / 1000)) * 1000)
}
