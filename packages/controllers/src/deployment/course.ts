import type { Deployment, DeploymentStatus } from "@pilothouse/api/apps/v1"
import { rollbackRevision } from "./annotations.ts"
import type { Move } from "./edit.ts"
import { isRecreate } from "./fenceposts.ts"
import { roomForNew } from "./new-replica-set.ts"
import type { Observed } from "./observe.ts"
import { isComplete } from "./progress.ts"
import { areOldPodsRunning, oldPodsToGo, recreate, rollingUpdate } from "./rolling.ts"
import { activeOf, allOf, type ReplicaSets } from "./replica-sets.ts"
import { isScalingEvent, scale } from "./scale.ts"

/** What a look at a Deployment is about. */
export type Course = "deleted" | "paused" | "rollback" | "scaling" | "rollout"

export function courseOf(deployment: Deployment, sets: ReplicaSets): Course {
  if (deployment.metadata.deletionTimestamp !== undefined) return "deleted"
  if (deployment.spec?.paused === true) return "paused"
  if (rollbackRevision(deployment) !== undefined) return "rollback"
  return isScalingEvent(deployment, sets) ? "scaling" : "rollout"
}

/** A pause between the old pods and the new ones of Recreate: scaling would bring the new ones too early. */
function mustWait({ deployment, pods }: Pick<Observed, "deployment" | "pods">, sets: ReplicaSets): boolean {
  return isRecreate(deployment) && activeOf(allOf(sets)).length === 0 && areOldPodsRunning(sets, pods)
}

export function moveOf(course: Course, { deployment, pods }: Observed, sets: ReplicaSets): Move {
  switch (course) {
    case "deleted":
      return { edits: [] }
    case "paused":
    case "scaling":
      return mustWait({ deployment, pods }, sets) ? { edits: [], waitFor: oldPodsToGo } : { edits: scale(deployment, sets) }
    case "rollback":
      // Without a ReplicaSet of its own the present template would have no revision, and "the one before" would be another one.
      return { edits: [], ...(sets.current === undefined && { create: roomForNew(deployment, sets) }) }
    case "rollout":
      return isRecreate(deployment) ? recreate(deployment, sets, pods) : rollingUpdate(deployment, sets)
  }
}

/** Old ReplicaSets are cleared away when nothing moves: nobody knows yet which of them a rollout under way will fall back to. */
export function mayCleanUp(course: Course, deployment: Deployment, status: DeploymentStatus): boolean {
  if (course === "paused") return rollbackRevision(deployment) === undefined
  return course === "rollout" && isComplete(deployment, status)
}
