import type { Deployment, ReplicaSet } from "@pilothouse/api/apps/v1"
import { type Edit, type Move, resize } from "./edit.ts"
import { fenceposts, leastAvailable, wantedReplicas } from "./fenceposts.ts"
import { roomForNew } from "./new-replica-set.ts"
import { activeOf, allOf, availableIn, type ReplicaSets, sizeOf, totalSize, totalStatus } from "./replica-sets.ts"
import { controllerOf, isPodTerminal } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"

export const oldPodsToGo = "the pods of old ReplicaSets to go"

/** All old pods go before the first new one comes. */
export function recreate(deployment: Deployment, sets: ReplicaSets, pods: readonly Pod[]): Move {
  const wanted = wantedReplicas(deployment)
  const standing = activeOf(sets.old)
  if (standing.length > 0) {
    return { edits: standing.map((set) => resize(deployment, set, 0, "the Recreate strategy removes all old pods first")) }
  }
  if (areOldPodsRunning(sets, pods)) return { edits: [], waitFor: oldPodsToGo }
  const { current } = sets
  if (current === undefined) return { edits: [], create: wanted }
  return {
    edits: sizeOf(current) === wanted ? [] : [resize(deployment, current, wanted, `no old pod runs any more, ${wanted} are wanted`)],
  }
}

/** A pod whose state is unknown may run. One that is on its way out still does. */
export function areOldPodsRunning({ current, old }: ReplicaSets, pods: readonly Pod[]): boolean {
  if (totalStatus(old, "replicas") > 0) return true
  return pods.some((pod) => controllerOf(pod)?.uid !== current?.metadata.uid && !isPodTerminal(pod))
}

/** Grows the ReplicaSet of the present template as far as the surge allows, else shrinks old ones as far as availability allows. */
export function rollingUpdate(deployment: Deployment, sets: ReplicaSets): Move {
  const { current } = sets
  const room = roomForNew(deployment, sets)
  if (current === undefined) return { edits: [], create: room }
  const wanted = wantedReplicas(deployment)
  const { maxSurge } = fenceposts(deployment)
  if (sizeOf(current) > wanted) return { edits: [resize(deployment, current, wanted, `${wanted} pods are wanted`)] }
  const surge = `a surge of ${maxSurge} over ${wanted} leaves room for ${room - sizeOf(current)} more`
  if (room > sizeOf(current)) return { edits: [resize(deployment, current, room, surge)] }
  return { edits: shrinkOld(deployment, current, sets) }
}

/**
 * Pods that are not available go first: they serve nobody. Then available ones, as long as enough stay, the oldest ReplicaSet first.
 * With 10 wanted, 3 of them allowed to be missing and 13 in all, 8 old and 5 new of which 3 are not available yet: 13 - 7 - 3 = 3 old pods may go.
 */
function shrinkOld(deployment: Deployment, current: ReplicaSet, sets: ReplicaSets): readonly Edit[] {
  const least = leastAvailable(deployment)
  const old = activeOf(sets.old)
  let budget = totalSize(allOf(sets)) - least - (sizeOf(current) - availableIn(current))
  const leaving = new Map(old.map((set) => [set, 0]))
  for (const countOf of [unavailableIn, availableIn]) {
    for (const set of old) {
      const going = Math.max(0, Math.min(budget, countOf(set)))
      leaving.set(set, leaving.get(set)! + going)
      budget -= going
    }
  }
  return [...leaving]
    .filter(([, going]) => going > 0)
    .map(([set, going]) => resize(deployment, set, sizeOf(set) - going, reason(set, going, least)))
}

function unavailableIn(set: ReplicaSet): number {
  return sizeOf(set) - availableIn(set)
}

function reason(set: ReplicaSet, going: number, least: number): string {
  const idle = Math.min(going, unavailableIn(set))
  return `it has an old template; ${idle} of its pods are not available and ${going - idle} more may go while ${least} stay available`
}
