import { findCondition, formatTime } from "@pilothouse/api"
import type { Deployment, DeploymentCondition } from "@pilothouse/api/apps/v1"

export type Conditions = readonly DeploymentCondition[]

type ConditionDraft = Pick<DeploymentCondition, "type" | "status" | "reason" | "message">

/** A deadline of 2³¹ - 1 seconds, or none, disables the check of progress. */
const noDeadline = 2 ** 31 - 1

export function hasProgressDeadline({ spec }: Deployment): boolean {
  return spec?.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== noDeadline
}

/** Sets the condition unless its status and reason are the same; a different message alone changes nothing. */
export function putCondition(conditions: Conditions, draft: ConditionDraft, now: number): Conditions {
  const old = findCondition(conditions, draft.type)
  return old?.status === draft.status && old.reason === draft.reason ? conditions : replaceCondition(conditions, draft, now)
}

/** Sets the condition even if it says the same; lastTransitionTime changes only with the status. */
export function replaceCondition(conditions: Conditions, draft: ConditionDraft, now: number): Conditions {
  const old = findCondition(conditions, draft.type)
  const time = formatTime(now)
  const lastTransitionTime = old?.status === draft.status ? (old.lastTransitionTime ?? time) : time
  return [...conditions.filter((condition) => condition !== old), { ...draft, lastUpdateTime: time, lastTransitionTime }]
}

export function progressing(status: DeploymentCondition["status"], reason: string, message: string): ConditionDraft {
  return { type: "Progressing", status, reason, message }
}

/**
 * The conditions with a pause or its end noted, so that the time of a pause does not count against the progress deadline.
 * A rollout that has been given up stays given up.
 */
export function withPauseCondition(deployment: Deployment, now: number): Conditions {
  const conditions = deployment.status?.conditions ?? []
  if (!hasProgressDeadline(deployment)) return conditions
  const reason = findCondition(conditions, "Progressing")?.reason
  if (reason === "ProgressDeadlineExceeded") return conditions
  const isPaused = deployment.spec?.paused === true
  if (isPaused) return putCondition(conditions, progressing("Unknown", "DeploymentPaused", "Deployment is paused"), now)
  if (reason !== "DeploymentPaused") return conditions
  return putCondition(conditions, progressing("Unknown", "DeploymentResumed", "Deployment is resumed"), now)
}

/** The conditions with the ReplicaSet that was there already noted, where nothing was said about progress so far: the deadline counts from now. */
export function withFoundCondition(deployment: Deployment, conditions: Conditions, name: string, now: number): Conditions {
  if (!hasProgressDeadline(deployment) || findCondition(conditions, "Progressing") !== undefined) return conditions
  return putCondition(conditions, progressing("True", "FoundNewReplicaSet", `Found new replica set "${name}"`), now)
}

export function withCreatedCondition(deployment: Deployment, conditions: Conditions, name: string, now: number): Conditions {
  if (!hasProgressDeadline(deployment)) return conditions
  return putCondition(conditions, progressing("True", "NewReplicaSetCreated", `Created new replica set "${name}"`), now)
}

export function withCreateErrorCondition(deployment: Deployment, conditions: Conditions, message: string, now: number): Conditions {
  if (!hasProgressDeadline(deployment)) return conditions
  return putCondition(conditions, progressing("False", "ReplicaSetCreateError", message), now)
}
