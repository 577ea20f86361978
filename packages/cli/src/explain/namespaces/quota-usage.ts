import { compareAmounts, parseQuantity } from "@pilothouse/api"
import type { ResourceQuota } from "@pilothouse/api/core/v1"

/** What of a quota is used up: the server refuses requests for more of it, and no controller is notified of that. */
export function quotaLines({ status }: ResourceQuota): readonly string[] {
  return Object.entries(status?.hard ?? {}).flatMap(([name, hard]) => {
    const used = status?.used?.[name]
    if (used === undefined || compareAmounts(parseQuantity(used), parseQuantity(hard)) < 0) return []
    return [`${name} is used up: ${used} of ${hard}; whatever needs more is refused until something goes or the limit is raised`]
  })
}
