import { formatDuration } from "@pilothouse/seams"

/** "4m59s": time that is left, to the second. */
export function remaining(milliseconds: number): string {
  return formatDuration(Math.max(1, Math.round(milliseconds / 1000)) * 1000)
}
