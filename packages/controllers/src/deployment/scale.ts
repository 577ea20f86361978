import type { Deployment, ReplicaSet } from "@pilothouse/api/apps/v1"
import { countIn, desiredAnnotation, maxAnnotation } from "./annotations.ts"
import { type Edit, replicasAnnotations, resize } from "./edit.ts"
import { desiredReplicas, isRecreate, maxReplicas, minAvailable } from "./fenceposts.ts"
import {
  activeReplicaSets,
  allReplicaSets,
  availableIn,
  oldestFirst,
  type ReplicaSets,
  specReplicas,
  sum,
  totalSpecReplicas,
} from "./replica-sets.ts"

/**
 * Reports whether the wanted number changed since the ReplicaSets were sized.
 * Not where Recreate finds several with pods: it has no shares to keep, and takes all the old ones down anyway.
 */
export function isScalingEvent(deployment: Deployment, sets: ReplicaSets): boolean {
  const active = activeReplicaSets(allReplicaSets(sets))
  return !(isRecreate(deployment) && active.length > 1) && active.some((set) => wasSizedForAnother(deployment, set))
}

function wasSizedForAnother(deployment: Deployment, set: ReplicaSet): boolean {
  const desired = countIn(set, desiredAnnotation)
  return desired !== undefined && desired !== desiredReplicas(deployment)
}

/** Changes sizes without moving a rollout on. */
export function scale(deployment: Deployment, sets: ReplicaSets): readonly Edit[] {
  const only = onlyActiveOrLatest(sets)
  if (only !== undefined) return scaleOnly(deployment, only)
  const active = activeReplicaSets(allReplicaSets(sets))
  if (isSaturated(deployment, sets.current)) {
    return activeReplicaSets(sets.old).map((set) =>
      resize(deployment, set, 0, "the current ReplicaSet has all pods, and they are available"),
    )
  }
  if (isRecreate(deployment)) return []
  return [...proportionalSizes(deployment, active)].map(([set, size]) => resize(deployment, set, size, shareReason(deployment, set, size)))
}

function scaleOnly(deployment: Deployment, set: ReplicaSet): readonly Edit[] {
  const desired = desiredReplicas(deployment)
  if (specReplicas(set) !== desired) return [resize(deployment, set, desired, `${desired} pods are wanted`)]
  if (!wasSizedForAnother(deployment, set)) return []
  // Another client set the right size. Without a new annotation this would look like scaling for ever, and no rollout would begin.
  return [{ set, annotations: replicasAnnotations(deployment), reason: `it has the ${desired} pods that are wanted` }]
}

/** Where at most one has pods, it gets all of them. */
function onlyActiveOrLatest({ current, old }: ReplicaSets): ReplicaSet | undefined {
  const active = activeReplicaSets(allReplicaSets({ current, old }))
  if (active.length > 1) return undefined
  return active[0] ?? current ?? old.at(-1)
}

/** Reports whether the ReplicaSet can stand for the whole Deployment. Both have to believe so, and all its pods have to be available. */
function isSaturated(deployment: Deployment, set: ReplicaSet | undefined): boolean {
  if (set === undefined) return false
  const counts = [specReplicas(set), countIn(set, desiredAnnotation), set.status?.availableReplicas ?? 0]
  return counts.every((count) => count === desiredReplicas(deployment))
}

function shareReason(deployment: Deployment, set: ReplicaSet, size: number): string {
  return `${desiredReplicas(deployment)} pods are wanted in all, and its share of them goes from ${specReplicas(set)} to ${size}`
}

/**
 * The sizes that ReplicaSets of a rollout under way get when the wanted number changes: each keeps its share, so that a broken template does not
 * get more pods by scaling. 10 wanted and 3 to spare, 8 old and 5 new; now 50 and 6: 56/13 of each, 34 and 22.
 */
export function proportionalSizes(deployment: Deployment, active: readonly ReplicaSet[]): ReadonlyMap<ReplicaSet, number> {
  const allowed = desiredReplicas(deployment) > 0 ? maxReplicas(deployment) : 0
  const toAdd = allowed - totalSpecReplicas(active)
  const sorted = [...active].sort(toAdd > 0 ? largestThenNewest : largestThenOldest)
  const sizes = new Map<ReplicaSet, number>()
  let added = 0
  for (const set of sorted) {
    const share = replicaShare(deployment, set, toAdd, added)
    sizes.set(set, specReplicas(set) + share)
    added += share
  }
  const [largest] = sorted
  // What rounding left over goes to the largest.
  if (largest !== undefined) sizes.set(largest, Math.max(0, sizes.get(largest)! + toAdd - added))
  return sparingAvailable(deployment, sizes)
}

/**
 * The same number in all, but no available pod that is needed is removed while an unavailable one stays. 2 wanted, 5 old that are broken and 2 new
 * that are available: 1 and 2, not the shares of 2 and 1. Upstream does not check, and leaves one available pod too few.
 */
function sparingAvailable(deployment: Deployment, sizes: ReadonlyMap<ReplicaSet, number>): ReadonlyMap<ReplicaSet, number> {
  const spared = new Map(sizes)
  const sets = [...sizes.keys()]
  const keptAvailable = (set: ReplicaSet) => Math.min(availableIn(set), spared.get(set)!)
  let lacking = Math.min(minAvailable(deployment), sum(sets, availableIn)) - sum(sets, keptAvailable)
  for (const giver of sets) {
    for (const taker of sets) {
      const moving = Math.max(0, Math.min(lacking, spared.get(giver)! - availableIn(giver), availableIn(taker) - spared.get(taker)!))
      spared.set(giver, spared.get(giver)! - moving)
      spared.set(taker, spared.get(taker)! + moving)
      lacking -= moving
    }
  }
  return spared
}

/** How many of the pods to add (or remove, where negative) a ReplicaSet gets; never more than are left. */
function replicaShare(deployment: Deployment, set: ReplicaSet, toAdd: number, added: number): number {
  if (toAdd === 0 || specReplicas(set) === 0) return 0
  const fraction = replicaFraction(deployment, set)
  return toAdd > 0 ? Math.min(fraction, toAdd - added) : Math.max(fraction, toAdd - added)
}

/** Returns by how many pods a ReplicaSet would grow or shrink if it kept its share exactly. */
export function replicaFraction(deployment: Deployment, set: ReplicaSet): number {
  if (desiredReplicas(deployment) === 0) return -specReplicas(set)
  // A client may have removed the annotation: then the present number stands for the former maximum.
  const before = countIn(set, maxAnnotation) || (deployment.status?.replicas ?? 0)
  if (before === 0) return 0
  return Math.round((specReplicas(set) * maxReplicas(deployment)) / before) - specReplicas(set)
}

function largestThenOldest(a: ReplicaSet, b: ReplicaSet): number {
  return specReplicas(b) - specReplicas(a) || oldestFirst(a, b)
}

function largestThenNewest(a: ReplicaSet, b: ReplicaSet): number {
  return specReplicas(b) - specReplicas(a) || oldestFirst(b, a)
}
