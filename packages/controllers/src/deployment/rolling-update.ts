import { controllerOf, isPodTerminal } from "@pilothouse/api"
import type { Deployment, ReplicaSet } from "@pilothouse/api/apps/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import { type Edit, type Move, resize } from "./edit.ts"
import { desiredReplicas, fenceposts, minAvailable } from "./fenceposts.ts"
import { newReplicaSetSize } from "./new-replica-set.ts"
import {
  activeReplicaSets,
  allReplicaSets,
  availableIn,
  type ReplicaSets,
  specReplicas,
  totalSpecReplicas,
  totalStatusReplicas,
} from "./replica-sets.ts"

export const oldPodsToGo = "the pods of old ReplicaSets to go"

/** Scales down all old ReplicaSets, and creates the first new pod when no old one is left. */
export function recreate(deployment: Deployment, sets: ReplicaSets, pods: readonly Pod[]): Move {
  const desired = desiredReplicas(deployment)
  const standing = activeReplicaSets(sets.old)
  if (standing.length > 0) {
    return { edits: standing.map((set) => resize(deployment, set, 0, "the Recreate strategy removes all old pods first")) }
  }
  if (areOldPodsRunning(sets, pods)) return { edits: [], waitFor: oldPodsToGo }
  const { current } = sets
  if (current === undefined) return { edits: [], create: desired }
  return {
    edits:
      specReplicas(current) === desired ? [] : [resize(deployment, current, desired, `no old pod runs any more, ${desired} are wanted`)],
  }
}

/** A pod whose state is unknown may run. One that is on its way out still does. */
export function areOldPodsRunning({ current, old }: ReplicaSets, pods: readonly Pod[]): boolean {
  if (totalStatusReplicas(old, "replicas") > 0) return true
  return pods.some((pod) => controllerOf(pod)?.uid !== current?.metadata.uid && !isPodTerminal(pod))
}

/**
 * Grows the ReplicaSet of the present template as far as the surge allows (upstream's reconcileNewReplicaSet), else shrinks old ones as far as
 * availability allows (reconcileOldReplicaSets).
 */
export function rollingUpdate(deployment: Deployment, sets: ReplicaSets): Move {
  const { current } = sets
  const room = newReplicaSetSize(deployment, sets)
  if (current === undefined) return { edits: [], create: room }
  const desired = desiredReplicas(deployment)
  const { maxSurge } = fenceposts(deployment)
  if (specReplicas(current) > desired) return { edits: [resize(deployment, current, desired, `${desired} pods are wanted`)] }
  const surge = `a surge of ${maxSurge} over ${desired} leaves room for ${room - specReplicas(current)} more`
  if (room > specReplicas(current)) return { edits: [resize(deployment, current, room, surge)] }
  return { edits: shrinkOld(deployment, current, sets) }
}

/**
 * Pods that are not available go first: they serve no traffic (upstream's cleanupUnhealthyReplicas). Then available ones, as long as enough stay,
 * the oldest ReplicaSet first (scaleDownOldReplicaSetsForRollingUpdate).
 * With 10 wanted, 3 of them allowed to be missing and 13 in all, 8 old and 5 new of which 3 are not available yet: 13 - 7 - 3 = 3 old pods may go.
 */
function shrinkOld(deployment: Deployment, current: ReplicaSet, sets: ReplicaSets): readonly Edit[] {
  const min = minAvailable(deployment)
  const old = activeReplicaSets(sets.old)
  let budget = totalSpecReplicas(allReplicaSets(sets)) - min - (specReplicas(current) - availableIn(current))
  const removals = new Map(old.map((set) => [set, 0]))
  for (const count of [unavailableIn, availableIn]) {
    for (const set of old) {
      const removed = Math.max(0, Math.min(budget, count(set)))
      removals.set(set, removals.get(set)! + removed)
      budget -= removed
    }
  }
  return [...removals]
    .filter(([, removed]) => removed > 0)
    .map(([set, removed]) => resize(deployment, set, specReplicas(set) - removed, reason(set, removed, min)))
}

function unavailableIn(set: ReplicaSet): number {
  return specReplicas(set) - availableIn(set)
}

function reason(set: ReplicaSet, removed: number, min: number): string {
  const idle = Math.min(removed, unavailableIn(set))
  return `it has an old template; ${idle} of its pods are not available and ${removed - idle} more may go while ${min} stay available`
}
