import { type Amount, addAmounts, amountOf, isDeviceClaim, isInQuotaScopes, type Resources, zeroAmount } from "@pilothouse/api"
import type { ResourceQuota } from "@pilothouse/api/core/v1"
import type { Collection, Observed } from "./observe.ts"
import type { UsageOf } from "./remembered-usage.ts"

export interface Counting {
  /** Milliseconds since 1970: a pod that should be gone by then uses nothing. */
  readonly now: number
  readonly usageOf: UsageOf
}

/** What is used of everything that can be counted now: names of spec.hard that no resource is counted under are left out. */
export function usedNow(observed: Observed, counting: Counting): Resources {
  const used = new Map<string, Amount>()
  for (const collection of observed.collections) {
    // Counted under one name by two resources (pods and claims of devices under "requests.example.com/gpu"): they add up.
    for (const [name, amount] of usedBy(collection, observed, counting)) used.set(name, addAmounts(used.get(name) ?? zeroAmount, amount))
  }
  return used
}

function usedBy(collection: Collection, { quota, collections, devices }: Observed, { now, usageOf }: Counting): Resources {
  const { of, names, objects } = collection
  const inScope = hasScopes(quota) ? objects.filter((object) => isInQuotaScopes(quota, of, object)) : objects
  if (!hasAmounts(of)) return new Map(names.map((name) => [name, amountOf(inScope.length)]))
  const used = new Map<string, Amount>(names.map((name) => [name, zeroAmount]))
  // Claims of a class that nobody has made are counted under its name where pods are.
  const counted = isDeviceClaim(of) ? new Set(collections.flatMap((one) => one.names)) : names
  for (const object of inScope) {
    const usage = usageOf(of, object, now, devices)
    for (const name of counted) {
      const amount = usage.get(name)
      if (amount !== undefined) used.set(name, addAmounts(used.get(name) ?? zeroAmount, amount))
    }
  }
  return used
}

function hasScopes({ spec }: ResourceQuota): boolean {
  return (spec?.scopes ?? []).length + (spec?.scopeSelector?.matchExpressions ?? []).length > 0
}

/** Everything else is counted by its number, which its metadata show. */
function hasAmounts(of: Collection["of"]): boolean {
  return isDeviceClaim(of) || (of.group === "" && ["pods", "services", "persistentvolumeclaims"].includes(of.plural))
}
