import {
  type Amount,
  addAmounts,
  deepEqual,
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

/** Milliseconds until a resource whose cache has not synced is checked again. */
const soon = 5000

/** Upstream's syncResourceQuota: writes the limits of the spec and the counted usage into the status when they differ. */
export function decide(observed: Observed, options: DecideOptions): Plan {
  const { quota, unsynced } = observed
  const status = nextStatus(quota, usedNow(observed, options.now))
  const built = plan()
  const reason = describeChange(quota, status)
  if (reason === undefined) built.nothing("its status is what was counted")
  else built.status(quota, status, reason)
  return requeue(built, unsynced, options)
}

/** A resource that was not counted keeps its old number; one that is no longer limited is dropped. */
function nextStatus({ spec, status }: ResourceQuota, counted: Resources): ResourceQuotaStatus {
  const hard = spec?.hard ?? {}
  const now = formatResources(counted)
  const known = Object.keys(hard).map((name) => [name, now[name] ?? status?.used?.[name]] as const)
  const used = Object.fromEntries(known.filter((entry): entry is [string, string] => entry[1] !== undefined))
  return { hard, used }
}

function describeChange({ status: old }: ResourceQuota, { hard, used }: ResourceQuotaStatus): string | undefined {
  if (!isSame(old?.hard, hard)) return "its status does not have its limits yet"
  if (isSame(old?.used, used)) return undefined
  const changed = Object.keys({ ...old?.used, ...used }).filter(
    (name) => old?.used?.[name] !== used?.[name] && !isSame(pick(old?.used, name), pick(used, name)),
  )
  const said = changed.map((name) => `${name} ${old?.used?.[name] ?? "unknown"} → ${used?.[name] ?? "not limited"}`)
  return `it was counted: ${said.join(", ")}`
}

function pick(list: ResourceList | undefined, name: string): ResourceList {
  return list?.[name] === undefined ? {} : { [name]: list[name] }
}

/** Compares amounts, not texts: 1 equals 1000m. Equal texts are not parsed: a quota may have 10,000 names. */
function isSame(a: ResourceList | undefined, b: ResourceList | undefined): boolean {
  return deepEqual(a ?? {}, b ?? {}) || equalResources(parseResources(a), parseResources(b))
}

function requeue(built: PlanBuilder, unsynced: readonly string[], { syncPeriod }: DecideOptions): Plan {
  if (unsynced.length > 0) {
    const what = unsynced.join(", ")
    return built.waitFor(`the cache of ${what}`).requeueAfter(soon, `${what} may have synced then`)
  }
  return syncPeriod > 0 ? built.requeueAfter(syncPeriod, "everything is counted again periodically") : built
}

/** Returns the usage of everything that can be counted now; names of spec.hard without a resource are left out. */
function usedNow(observed: Observed, now: number): Resources {
  const used = new Map<string, Amount>()
  for (const collection of observed.collections) {
    // Two resources may count under one name (pods and device claims under "requests.example.com/gpu"): they add up.
    for (const [name, amount] of usedBy(collection, observed, now)) used.set(name, addAmounts(used.get(name) ?? zeroAmount, amount))
  }
  return used
}

/** A pod whose grace period has passed at `now` uses nothing. */
function usedBy(collection: Collection, { quota, collections, devices }: Observed, now: number): Resources {
  const { of, names, accumulated, objects } = collection
  const used = new Map<string, Amount>(names.map((name) => [name, accumulated.get(name) ?? zeroAmount]))
  // Claims of a class that does not exist are counted under its name where pods are.
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
