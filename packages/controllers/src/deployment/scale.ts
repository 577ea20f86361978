import type { Deployment, ReplicaSet } from "@pilothouse/api/apps/v1"
import { countIn, desiredAnnotation } from "./annotations.ts"
import { type Edit, replicasAnnotations, resize } from "./edit.ts"
import { isRecreate, wantedReplicas } from "./fenceposts.ts"
import { proportionalSizes } from "./proportions.ts"
import { activeOf, allOf, type ReplicaSets, sizeOf } from "./replica-sets.ts"

/**
 * Whether the wanted number changed since the ReplicaSets were sized.
 * Not where Recreate finds several with pods: it has no shares to keep, and takes all the old ones down anyway.
 */
export function isScalingEvent(deployment: Deployment, sets: ReplicaSets): boolean {
  const active = activeOf(allOf(sets))
  return !(isRecreate(deployment) && active.length > 1) && active.some((set) => wasSizedForAnother(deployment, set))
}

function wasSizedForAnother(deployment: Deployment, set: ReplicaSet): boolean {
  const desired = countIn(set, desiredAnnotation)
  return desired !== undefined && desired !== wantedReplicas(deployment)
}

/** Changes sizes without moving a rollout on. */
export function scale(deployment: Deployment, sets: ReplicaSets): readonly Edit[] {
  const only = onlyActiveOrLatest(sets)
  if (only !== undefined) return scaleOnly(deployment, only)
  const active = activeOf(allOf(sets))
  if (isSaturated(deployment, sets.current)) {
    return activeOf(sets.old).map((set) => resize(deployment, set, 0, "the current ReplicaSet has all pods, and they are available"))
  }
  if (isRecreate(deployment)) return []
  return [...proportionalSizes(deployment, active)].map(([set, size]) => resize(deployment, set, size, shareReason(deployment, set, size)))
}

function scaleOnly(deployment: Deployment, set: ReplicaSet): readonly Edit[] {
  const wanted = wantedReplicas(deployment)
  if (sizeOf(set) !== wanted) return [resize(deployment, set, wanted, `${wanted} pods are wanted`)]
  if (!wasSizedForAnother(deployment, set)) return []
  // Somebody else gave it the right size. Were its annotation left behind, this would look like scaling for ever, and no rollout would begin.
  return [{ set, annotations: replicasAnnotations(deployment), reason: `it has the ${wanted} pods that are wanted` }]
}

/** Where at most one has pods, it gets all of them. */
function onlyActiveOrLatest({ current, old }: ReplicaSets): ReplicaSet | undefined {
  const active = activeOf(allOf({ current, old }))
  if (active.length > 1) return undefined
  return active[0] ?? current ?? old.at(-1)
}

/** Whether the ReplicaSet can stand for the whole Deployment. Both have to believe so, and all its pods have to be available. */
function isSaturated(deployment: Deployment, set: ReplicaSet | undefined): boolean {
  if (set === undefined) return false
  const counts = [sizeOf(set), countIn(set, desiredAnnotation), set.status?.availableReplicas ?? 0]
  return counts.every((count) => count === wantedReplicas(deployment))
}

function shareReason(deployment: Deployment, set: ReplicaSet, size: number): string {
  return `${wantedReplicas(deployment)} pods are wanted in all, and its share of them goes from ${sizeOf(set)} to ${size}`
}
