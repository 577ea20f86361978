import { controllerOf, isPodTerminal } from "@pilothouse/api"
import type { Deployment } from "@pilothouse/api/apps/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import { type Move, resize } from "./edit.ts"
import { wantedReplicas } from "./fenceposts.ts"
import { activeOf, type ReplicaSets, sizeOf, totalStatus } from "./replica-sets.ts"

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
