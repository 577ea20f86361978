import { findCondition, parseTime, removeCondition } from "@pilothouse/api"
import type { Deployment, DeploymentStatus, ReplicaSet } from "@pilothouse/api/apps/v1"
import { type Conditions, hasProgressDeadline, progressing, putCondition, replaceCondition } from "./conditions.ts"
import { desiredReplicas } from "./fenceposts.ts"

/** Reports whether all desired pods are of the current template and available, and there is no other: upstream's DeploymentComplete. */
export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const counts = [status.updatedReplicas, status.replicas, status.availableReplicas]
  const isObserved = (status.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  return isObserved && counts.every((count) => (count ?? 0) === desiredReplicas(deployment))
}

/** More updated, ready or available pods, or fewer old ones, than when the status was last written. */
function hasProgressed({ status: before = {} }: Deployment, now: DeploymentStatus): boolean {
  const rose = (["updatedReplicas", "readyReplicas", "availableReplicas"] as const).some(
    (count) => (now[count] ?? 0) > (before[count] ?? 0),
  )
  return rose || oldPods(now) < oldPods(before)
}

function oldPods({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus): number {
  return replicas - updatedReplicas
}

/** The conditions with what there is to say about the progress of a rollout. `status` is new but for its conditions. */
export function estimateProgress(
  deployment: Deployment,
  status: DeploymentStatus,
  current: ReplicaSet | undefined,
  now: number,
): Conditions {
  const conditions = status.conditions ?? []
  if (!hasProgressDeadline(deployment)) return removeCondition(conditions, "Progressing")
  const hasPodEnded = findCondition(conditions, "Progressing")?.reason === "NewReplicaSetAvailable"
  // A rollout that has ended is not judged by what happens to its pods later.
  if (hasPodEnded && status.replicas === status.updatedReplicas) return conditions
  const subject = current === undefined ? `Deployment "${deployment.metadata.name}"` : `ReplicaSet "${current.metadata.name}"`
  if (isComplete(deployment, status)) {
    return putCondition(conditions, progressing("True", "NewReplicaSetAvailable", `${subject} has successfully progressed.`), now)
  }
  if (hasProgressed(deployment, status)) {
    return replaceCondition(conditions, progressing("True", "ReplicaSetUpdated", `${subject} is progressing.`), now)
  }
  if (!isLate(deployment, conditions, now)) return conditions
  return putCondition(conditions, progressing("False", "ProgressDeadlineExceeded", `${subject} has timed out progressing.`), now)
}

/** Nothing moved for progressDeadlineSeconds. */
function isLate(deployment: Deployment, conditions: Conditions, now: number): boolean {
  // The condition of the rollout before: that of this one is still on its way here.
  if (findCondition(conditions, "Progressing")?.reason === "NewReplicaSetAvailable") return false
  const remaining = remainingTime(deployment, conditions, now)
  return remaining !== undefined && remaining < 0
}

/** Milliseconds until the deadline, negative when it has passed; undefined where it is unknown. */
function remainingTime({ spec }: Deployment, conditions: Conditions, now: number): number | undefined {
  const since = findCondition(conditions, "Progressing")?.lastUpdateTime
  return since ? parseTime(since) + (spec?.progressDeadlineSeconds ?? 0) * 1000 - now : undefined
}

/**
 * When to look whether a rollout that stands still has run out of time: milliseconds until the deadline, 0 when it has passed;
 * undefined when there is no need to. Updated 3 minutes ago with a deadline of 10 minutes: in 7 minutes.
 */
export function untilDeadline(deployment: Deployment, status: DeploymentStatus, now: number): number | undefined {
  if (!hasProgressDeadline(deployment) || isComplete(deployment, status)) return undefined
  const conditions = status.conditions ?? []
  if (findCondition(conditions, "Progressing")?.reason === "ProgressDeadlineExceeded") return undefined
  const remaining = remainingTime(deployment, conditions, now)
  return remaining === undefined ? undefined : Math.max(0, remaining)
}
