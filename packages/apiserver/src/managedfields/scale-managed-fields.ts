import { difference, type FieldPath, hasPath, isEmptySet, setOfPaths } from "./fieldpath/index.ts"
import { encodeEntries, managedOf } from "./managers.ts"
import type { Manager } from "./merge/index.ts"
import type { ManagedFields } from "./object-managed-fields.ts"

const scaleVersion = "autoscaling/v1"
const replicas: FieldPath = ["f:spec", "f:replicas"]
const replicasSet = setOfPaths([replicas])

/** Where an object has its replicas, by the apiVersions it is served in; undefined for one in which it has no scale. */
export type ReplicasPaths = ReadonlyMap<string, FieldPath | undefined>

/** Returns the paths of a workload, which has its replicas where a scale has them. */
export function workloadPaths(apiVersion: string): ReplicasPaths {
  return new Map([[apiVersion, replicas]])
}

/** Translates the managedFields of a scalable object for its scale: the managers of the replicas, and of nothing else. */
export function toScale(entries: readonly ManagedFields[], paths: ReplicasPaths): readonly ManagedFields[] {
  const { managers, times } = managedOf(entries)
  const owners = [...managers].filter(([, { apiVersion, set }]) => {
    const path = paths.get(apiVersion)
    return path !== undefined && hasPath(set, path)
  })
  return encodeEntries({
    managers: new Map(owners.map(([key, { applied }]) => [key, { apiVersion: scaleVersion, applied, set: replicasSet }])),
    times,
  })
}

/** Joins the managedFields of a scale that was written with those of its object: a manager whose replicas were taken loses that path. */
export function fromScale(
  entries: readonly ManagedFields[],
  scale: readonly ManagedFields[],
  { apiVersion, paths }: { readonly apiVersion: string; readonly paths: ReplicasPaths },
): readonly ManagedFields[] {
  const parent = managedOf(entries)
  const taken = new Map(managedOf(scale).managers)
  const managers = new Map<string, Manager>()
  for (const [key, manager] of parent.managers) {
    // A manager that wrote in a version that is not served any more is forgotten.
    if (!paths.has(manager.apiVersion)) continue
    const path = paths.get(manager.apiVersion)
    if (path === undefined || !hasPath(manager.set, path) || taken.delete(key)) managers.set(key, manager)
    else {
      const set = difference(manager.set, setOfPaths([path]))
      if (!isEmptySet(set)) managers.set(key, { ...manager, set })
    }
  }
  const own = setOfPaths([paths.get(apiVersion) ?? replicas])
  for (const [key, { applied, set }] of taken) {
    if (hasPath(set, replicas)) managers.set(key, { apiVersion, applied, set: own })
  }
  // As upstream has it, a manager that takes the replicas has no time.
  return encodeEntries({ managers, times: parent.times })
}
