import type { Deployment, DeploymentStatus } from "@pilothouse/api/apps/v1"
import { rollbackRevision } from "./annotations.ts"
import type { Move } from "./edit.ts"
import { isRecreate } from "./fenceposts.ts"
import { newReplicaSetSize } from "./new-replica-set.ts"
import type { Observed } from "./observe.ts"
import { isComplete } from "./progress.ts"
import { activeReplicaSets, allReplicaSets, type ReplicaSets } from "./replica-sets.ts"
import { areOldPodsRunning, oldPodsToGo, recreate, rollingUpdate } from "./rolling-update.ts"
import { isScalingEvent, scale } from "./scale.ts"

/** What a reconcile of a Deployment does. */
export type SyncMode = "deleted" | "paused" | "rollback" | "scaling" | "rollout"

export function syncMode(deployment: Deployment, sets: ReplicaSets): SyncMode {
  if (deployment.metadata.deletionTimestamp !== undefined) return "deleted"
  if (deployment.spec?.paused === true) return "paused"
  if (rollbackRevision(deployment) !== undefined) return "rollback"
  return isScalingEvent(deployment, sets) ? "scaling" : "rollout"
}

/** A pause between the old pods and the new ones of Recreate: scaling would bring the new ones too early. */
function mustWait({ deployment, pods }: Pick<Observed, "deployment" | "pods">, sets: ReplicaSets): boolean {
  return isRecreate(deployment) && activeReplicaSets(allReplicaSets(sets)).length === 0 && areOldPodsRunning(sets, pods)
}

/** Returns the changes of ReplicaSets in a mode, and what has to happen before. */
export function nextMove(mode: SyncMode, { deployment, pods }: Observed, sets: ReplicaSets): Move {
  switch (mode) {
    case "deleted":
      return { edits: [] }
    case "paused":
    case "scaling":
      return mustWait({ deployment, pods }, sets) ? { edits: [], waitFor: oldPodsToGo } : { edits: scale(deployment, sets) }
    case "rollback":
      // Without a ReplicaSet of its own the present template would have no revision, and "the one before" would be another one.
      return { edits: [], ...(sets.current === undefined && { create: newReplicaSetSize(deployment, sets) }) }
    case "rollout":
      return isRecreate(deployment) ? recreate(deployment, sets, pods) : rollingUpdate(deployment, sets)
  }
}

/** Old ReplicaSets are cleared away when nothing moves: a rollout under way may be rolled back to any of them. */
export function mayCleanUp(mode: SyncMode, deployment: Deployment, status: DeploymentStatus): boolean {
  if (mode === "paused") return rollbackRevision(deployment) === undefined
  return mode === "rollout" && isComplete(deployment, status)
}
