import { compareResourceVersions, isResourceVersion } from "@pilothouse/api"

/**
 * Reports whether a cache at `current` has everything up to `target`. Before its first list a cache is at "0", which is behind everything;
 * a version that is not a number cannot be compared, and counts as reached.
 */
export function hasReached(current: string, target: string): boolean {
  if (!isResourceVersion(target)) return true
  return isResourceVersion(current) && compareResourceVersions(current, target) >= 0
}
