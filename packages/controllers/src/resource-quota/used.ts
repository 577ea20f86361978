import { type Amount, addAmounts, amountOf, isInQuotaScopes, type Resources, zeroAmount } from "@pilothouse/api"
import type { ResourceQuota } from "@pilothouse/api/core/v1"
import type { Collection, Observed } from "./observe.ts"
import type { UsageOf } from "./remembered-usage.ts"

export interface Counting {
  /** Milliseconds since 1970: a pod that should be gone by then uses nothing. */
  readonly now: number
  readonly usageOf: UsageOf
}

/** What is used of everything that can be counted now: names of spec.hard that no resource is counted under are left out. */
export function usedNow({ quota, collections }: Observed, counting: Counting): Resources {
  const used = new Map<string, Amount>()
  for (const collection of collections) {
    // Counted under one name by two resources ("requests.storage"): they add up.
    for (const [name, amount] of usedBy(collection, quota, counting)) used.set(name, addAmounts(used.get(name) ?? zeroAmount, amount))
  }
  return used
}

function usedBy({ of, names, objects }: Collection, quota: ResourceQuota, { now, usageOf }: Counting): Resources {
  const inScope = hasScopes(quota) ? objects.filter((object) => isInQuotaScopes(quota, of, object)) : objects
  if (!hasAmounts(of)) return new Map(names.map((name) => [name, amountOf(inScope.length)]))
  const used = new Map<string, Amount>(names.map((name) => [name, zeroAmount]))
  for (const object of inScope) {
    const usage = usageOf(of, object, now)
    for (const name of names) {
      const amount = usage.get(name)
      if (amount !== undefined) used.set(name, addAmounts(used.get(name)!, amount))
    }
  }
  return used
}

function hasScopes({ spec }: ResourceQuota): boolean {
  return (spec?.scopes ?? []).length + (spec?.scopeSelector?.matchExpressions ?? []).length > 0
}

/** Everything else is counted by its number, which its metadata show. */
function hasAmounts({ group, plural }: Collection["of"]): boolean {
  return group === "" && ["pods", "services", "persistentvolumeclaims"].includes(plural)
}
