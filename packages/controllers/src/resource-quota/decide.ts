import {
  type Amount,
  addAmounts,
  equalResources,
  formatResources,
  isDeviceClaim,
  isInQuotaScopes,
  parseResources,
  quotaUsage,
  type ResourceList,
  type Resources,
  zeroAmount,
} from "@pilothouse/api"
import type { ResourceQuota, ResourceQuotaStatus } from "@pilothouse/api/core/v1"
import { type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import type { Collection, Observed } from "./observe.ts"

export interface DecideOptions {
  /** Milliseconds since 1970. */
  readonly now: number
  /** Milliseconds until everything is counted again; 0 for never. */
  readonly syncPeriod: number
}

/** Until a resource that could not be seen is tried again. */
const soon = 5000

/** Writes hard as it is wanted and used as it was counted, if that is not what stands there. */
export function decide(observed: Observed, options: DecideOptions): Plan {
  const { quota, unseen } = observed
  const status = statusNow(quota, usedNow(observed, options.now))
  const built = plan()
  const reason = changeIn(quota, status)
  if (reason === undefined) built.nothing("its status is what was counted")
  else built.status(quota, status, reason)
  return lookAgain(built, unseen, options)
}

/** What was not counted keeps its old number; what is no longer limited is dropped. */
function statusNow({ spec, status }: ResourceQuota, counted: Resources): ResourceQuotaStatus {
  const hard = spec?.hard ?? {}
  const now = formatResources(counted)
  const known = Object.keys(hard).map((name) => [name, now[name] ?? status?.used?.[name]] as const)
  const used = Object.fromEntries(known.filter((entry): entry is [string, string] => entry[1] !== undefined))
  return { hard, used }
}

function changeIn({ status: old }: ResourceQuota, { hard, used }: ResourceQuotaStatus): string | undefined {
  if (!isSame(old?.hard, hard)) return "its status does not have its limits yet"
  if (isSame(old?.used, used)) return undefined
  const changed = Object.keys({ ...old?.used, ...used }).filter((name) => !isSame(pick(old?.used, name), pick(used, name)))
  const said = changed.map((name) => `${name} ${old?.used?.[name] ?? "unknown"} → ${used?.[name] ?? "not limited"}`)
  return `it was counted: ${said.join(", ")}`
}

function pick(list: ResourceList | undefined, name: string): ResourceList {
  return list?.[name] === undefined ? {} : { [name]: list[name] }
}

/** However it is written: 1 is 1000m. */
function isSame(a: ResourceList | undefined, b: ResourceList | undefined): boolean {
  return equalResources(parseResources(a), parseResources(b))
}

function lookAgain(built: PlanBuilder, unseen: readonly string[], { syncPeriod }: DecideOptions): Plan {
  if (unseen.length > 0) {
    const what = unseen.join(", ")
    return built.waitFor(`the cache of ${what}`).requeueAfter(soon, `${what} may be seen then`)
  }
  return syncPeriod > 0 ? built.requeueAfter(syncPeriod, "everything is counted again from time to time") : built
}

/** What is used of everything that can be counted now: names of spec.hard that no resource is counted under are left out. */
function usedNow(observed: Observed, now: number): Resources {
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
