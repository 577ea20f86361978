import type { Deployment, ReplicaSet } from "@pilothouse/api/apps/v1"
import { countIn, maxAnnotation } from "./annotations.ts"
import { leastAvailable, mostReplicas, wantedReplicas } from "./fenceposts.ts"
import { availableIn, oldestFirst, sizeOf, sum, totalSize } from "./replica-sets.ts"

/**
 * The sizes that ReplicaSets of a rollout under way get when the wanted number changes: each keeps its share, so that a broken template does not
 * get more pods by scaling. 10 wanted and 3 to spare, 8 old and 5 new; now 50 and 6: 56/13 of each, 34 and 22.
 */
export function proportionalSizes(deployment: Deployment, active: readonly ReplicaSet[]): ReadonlyMap<ReplicaSet, number> {
  const allowed = wantedReplicas(deployment) > 0 ? mostReplicas(deployment) : 0
  const toAdd = allowed - totalSize(active)
  const sorted = [...active].sort(toAdd > 0 ? largestThenNewest : largestThenOldest)
  const sizes = new Map<ReplicaSet, number>()
  let added = 0
  for (const set of sorted) {
    const share = shareOf(deployment, set, toAdd, added)
    sizes.set(set, sizeOf(set) + share)
    added += share
  }
  const [largest] = sorted
  // What rounding left over goes to the largest.
  if (largest !== undefined) sizes.set(largest, Math.max(0, sizes.get(largest)! + toAdd - added))
  return sparingAvailable(deployment, sizes)
}

/**
 * The same number in all, but no available pod that is needed goes while one stays that serves nobody. 2 wanted, 5 old that are broken and 2 new
 * that are available: 1 and 2, not the shares of 2 and 1. Upstream does not look, and leaves one available pod too few.
 */
function sparingAvailable(deployment: Deployment, sizes: ReadonlyMap<ReplicaSet, number>): ReadonlyMap<ReplicaSet, number> {
  const spared = new Map(sizes)
  const sets = [...sizes.keys()]
  const kept = (set: ReplicaSet) => Math.min(availableIn(set), spared.get(set)!)
  let lacking = Math.min(leastAvailable(deployment), sum(sets, availableIn)) - sum(sets, kept)
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
function shareOf(deployment: Deployment, set: ReplicaSet, toAdd: number, added: number): number {
  if (toAdd === 0 || sizeOf(set) === 0) return 0
  const fraction = fractionOf(deployment, set)
  return toAdd > 0 ? Math.min(fraction, toAdd - added) : Math.max(fraction, toAdd - added)
}

/** By how many pods a ReplicaSet would grow or shrink if it kept its share exactly. */
export function fractionOf(deployment: Deployment, set: ReplicaSet): number {
  if (wantedReplicas(deployment) === 0) return -sizeOf(set)
  // Somebody may have taken the annotation away: then what there is now stands for what there could be before.
  const before = countIn(set, maxAnnotation) || (deployment.status?.replicas ?? 0)
  if (before === 0) return 0
  return Math.round((sizeOf(set) * mostReplicas(deployment)) / before) - sizeOf(set)
}

function largestThenOldest(a: ReplicaSet, b: ReplicaSet): number {
  return sizeOf(b) - sizeOf(a) || oldestFirst(a, b)
}

function largestThenNewest(a: ReplicaSet, b: ReplicaSet): number {
  return sizeOf(b) - sizeOf(a) || oldestFirst(b, a)
}
