import { difference, isEmptySet, setOfPaths } from "./fieldpath/index.ts"
import { encodeEntries, managedOf, owns } from "./managers.ts"
import type { Manager } from "./merge/index.ts"
import type { ManagedFields } from "./object-managed-fields.ts"

const scaleVersion = "autoscaling/v1"
const replicas = ["f:spec", "f:replicas"] as const
const replicasSet = setOfPaths([replicas])

/** Translates the managedFields of a scalable object for its scale: the managers of the replicas, and of nothing else. */
export function toScale(entries: readonly ManagedFields[], apiVersion: string): readonly ManagedFields[] {
  const { managers, times } = managedOf(entries)
  const owners = [...managers].filter(([, manager]) => manager.apiVersion === apiVersion && owns(manager.set, replicas))
  return encodeEntries({
    managers: new Map(owners.map(([key, { applied }]) => [key, { apiVersion: scaleVersion, applied, set: replicasSet }])),
    times,
  })
}

/** Joins the managedFields of a scale that was written with those of its object: a manager whose replicas were taken loses that path. */
export function fromScale(
  entries: readonly ManagedFields[],
  scale: readonly ManagedFields[],
  apiVersion: string,
): readonly ManagedFields[] {
  const parent = managedOf(entries)
  const taken = new Map(managedOf(scale).managers)
  const managers = new Map<string, Manager>()
  for (const [key, manager] of parent.managers) {
    if (manager.apiVersion !== apiVersion) continue
    if (!owns(manager.set, replicas) || taken.delete(key)) managers.set(key, manager)
    else {
      const set = difference(manager.set, replicasSet)
      if (!isEmptySet(set)) managers.set(key, { ...manager, set })
    }
  }
  for (const [key, { applied, set }] of taken) {
    if (owns(set, replicas)) managers.set(key, { apiVersion, applied, set: replicasSet })
  }
  // As upstream has it, a manager that takes the replicas has no time.
  return encodeEntries({ managers, times: parent.times })
}
