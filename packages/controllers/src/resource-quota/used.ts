import { type Amount, addAmounts, isDeviceClaim, isInQuotaScopes, quotaUsage, type Resources, zeroAmount } from "@pilothouse/api"
import type { Collection, Observed } from "./observe.ts"

/** What is used of everything that can be counted now: names of spec.hard that no resource is counted under are left out. */
export function usedNow(observed: Observed, now: number): Resources {
  const used = new Map<string, Amount>()
  for (const collection of observed.collections) {
    // Counted under one name by two resources (pods and claims of devices under "requests.example.com/gpu"): they add up.
    for (const [name, amount] of usedBy(collection, observed, now)) used.set(name, addAmounts(used.get(name) ?? zeroAmount, amount))
  }
  return used
}

/** A pod that should be gone by now (milliseconds since 1970) uses nothing. */
function usedBy(collection: Collection, { quota, collections, devices }: Observed, now: number): Resources {
  const { of, names, standing, objects } = collection
  const used = new Map<string, Amount>(names.map((name) => [name, standing.get(name) ?? zeroAmount]))
  // Claims of a class that nobody has made are counted under its name where pods are.
  const counted = isDeviceClaim(of) ? new Set(collections.flatMap((one) => one.names)) : names
  for (const object of objects) {
    if (!isInQuotaScopes(quota, of, object)) continue
    const usage = quotaUsage(of, object, now, devices)
    for (const name of counted) {
      const amount = usage.get(name)
      if (amount !== undefined) used.set(name, addAmounts(used.get(name) ?? zeroAmount, amount))
    }
  }
  return used
}
