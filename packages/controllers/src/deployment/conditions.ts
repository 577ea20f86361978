import { findCondition, formatTime } from "@pilothouse/api"
import type { Deployment, DeploymentCondition } from "@pilothouse/api/apps/v1"

export type Conditions = readonly DeploymentCondition[]

type Saying = Pick<DeploymentCondition, "type" | "status" | "reason" | "message">

/** A deadline of 2³¹ - 1 seconds, or none, means that nobody wants to know. */
const noDeadline = 2 ** 31 - 1

export function hasProgressDeadline({ spec }: Deployment): boolean {
  return spec?.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== noDeadline
}

/** A condition that says the same again, in whatever words, stays as it is: status and reason decide. */
export function putCondition(conditions: Conditions, saying: Saying, now: number): Conditions {
  const old = findCondition(conditions, saying.type)
  return old?.status === saying.status && old.reason === saying.reason ? conditions : replaceCondition(conditions, saying, now)
}

/** Says it anew even if it was said before; lastTransitionTime moves only with the status. */
export function replaceCondition(conditions: Conditions, saying: Saying, now: number): Conditions {
  const old = findCondition(conditions, saying.type)
  const time = formatTime(now)
  const lastTransitionTime = old?.status === saying.status ? (old.lastTransitionTime ?? time) : time
  return [...conditions.filter((condition) => condition !== old), { ...saying, lastUpdateTime: time, lastTransitionTime }]
}

export function progressing(status: DeploymentCondition["status"], reason: string, message: string): Saying {
  return { type: "Progressing", status, reason, message }
}

/**
 * The conditions with a pause or its end noted, so that the time of a pause does not count against the progress deadline.
 * A rollout that has been given up stays given up.
 */
export function notePause(deployment: Deployment, now: number): Conditions {
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
export function noteFound(deployment: Deployment, conditions: Conditions, name: string, now: number): Conditions {
  if (!hasProgressDeadline(deployment) || findCondition(conditions, "Progressing") !== undefined) return conditions
  return putCondition(conditions, progressing("True", "FoundNewReplicaSet", `Found new replica set "${name}"`), now)
}

export function noteCreated(deployment: Deployment, conditions: Conditions, name: string, now: number): Conditions {
  if (!hasProgressDeadline(deployment)) return conditions
  return putCondition(conditions, progressing("True", "NewReplicaSetCreated", `Created new replica set "${name}"`), now)
}

export function noteNotCreated(deployment: Deployment, conditions: Conditions, message: string, now: number): Conditions {
  if (!hasProgressDeadline(deployment)) return conditions
  return putCondition(conditions, progressing("False", "ReplicaSetCreateError", message), now)
}
