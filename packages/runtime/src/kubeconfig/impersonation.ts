import { PilothouseError } from "@pilothouse/seams"
import type { UserEntry } from "./types.ts"

/** The headers by which a user acts as another one. */
export function impersonationHeaders(user: UserEntry, whose: string): Readonly<Record<string, string | readonly string[]>> {
  const { as, "as-uid": uid, "as-groups": groups = [], "as-user-extra": extra = {} } = user
  if (!as) {
    if (!uid && groups.length === 0 && Object.keys(extra).length === 0) return {}
    throw new PilothouseError(
      "INVALID",
      `expected "as" beside as-uid, as-groups or as-user-extra of ${whose}, found none; say whom to act as`,
    )
  }
  const extras = Object.entries(extra).map(
    ([key, values]) => [`impersonate-extra-${encodeURIComponent(key.toLowerCase())}`, values] as const,
  )
  return {
    "impersonate-user": as,
    ...(uid && { "impersonate-uid": uid }),
    ...(groups.length > 0 && { "impersonate-group": groups }),
    ...Object.fromEntries(extras),
  }
}
