import { deepEqual, findCondition, removeCondition } from "@pilothouse/api"
import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from "@pilothouse/api/apps/v1"
import type { PlanBuilder } from "@pilothouse/runtime"
import { objectAnnotations, revisionAnnotation } from "./annotations.ts"
import { type Conditions, putCondition } from "./conditions.ts"
import { desiredReplicas, minAvailable } from "./fenceposts.ts"
import { estimateProgress } from "./progress.ts"
import { allReplicaSets, type ReplicaSets, totalSpecReplicas, totalStatusReplicas } from "./replica-sets.ts"

/** The status without a word on progress: while paused, scaled or deleted nothing is expected to move. */
export function plainStatus(deployment: Deployment, sets: ReplicaSets, conditions: Conditions, now: number): DeploymentStatus {
  const counts = replicaCounts(deployment, sets)
  const enough = (counts.availableReplicas ?? 0) >= minAvailable(deployment)
  const draft = enough
    ? { status: "True" as const, reason: "MinimumReplicasAvailable", message: "Deployment has minimum availability." }
    : { status: "False" as const, reason: "MinimumReplicasUnavailable", message: "Deployment does not have minimum availability." }
  return { ...counts, conditions: putCondition(conditions, { type: "Available", ...draft }, now) }
}

/** The status of a rollout: with its progress, and with the reason why pods are refused. */
export function rolloutStatus(deployment: Deployment, sets: ReplicaSets, conditions: Conditions, now: number): DeploymentStatus {
  const plain = plainStatus(deployment, sets, conditions, now)
  const progressed = estimateProgress(deployment, plain, sets.current, now)
  const failure = replicaFailure(sets)
  const complete = failure === undefined ? removeCondition(progressed, "ReplicaFailure") : withFailure(progressed, failure)
  return { ...plain, conditions: complete }
}

/** Numbers that are 0 are left out, as the API server leaves them out: otherwise its answer would never equal the desired status. */
function replicaCounts(deployment: Deployment, sets: ReplicaSets): DeploymentStatus {
  const all = allReplicaSets(sets)
  const available = totalStatusReplicas(all, "availableReplicas")
  return {
    observedGeneration: deployment.metadata.generation || undefined,
    replicas: totalStatusReplicas(all, "replicas") || undefined,
    updatedReplicas: sets.current?.status?.replicas || undefined,
    readyReplicas: totalStatusReplicas(all, "readyReplicas") || undefined,
    availableReplicas: available || undefined,
    unavailableReplicas: Math.max(0, totalSpecReplicas(all) - available) || undefined,
    terminatingReplicas: terminatingReplicas(all),
    collisionCount: deployment.status?.collisionCount,
  }
}

/** Unknown as long as one that its controller has seen does not say. */
function terminatingReplicas(sets: readonly ReplicaSet[]): number | undefined {
  const seen = sets.filter(({ status }) => (status?.observedGeneration ?? 0) !== 0 || status?.terminatingReplicas !== undefined)
  if (seen.some(({ status }) => status?.terminatingReplicas === undefined)) return undefined
  return seen.reduce((total, { status }) => total + (status?.terminatingReplicas ?? 0), 0)
}

/** Returns the failure of the current ReplicaSet, or of an old one. */
function replicaFailure({ current, old }: ReplicaSets): DeploymentCondition | undefined {
  const all = current === undefined ? old : [current, ...old]
  const failure = all.map(({ status }) => findCondition(status?.conditions, "ReplicaFailure")).find((condition) => condition !== undefined)
  return failure && { ...failure, status: failure.status as DeploymentCondition["status"], lastUpdateTime: failure.lastTransitionTime }
}

function withFailure(conditions: Conditions, failure: DeploymentCondition): Conditions {
  const old = findCondition(conditions, failure.type)
  if (old?.status === failure.status && old.reason === failure.reason) return conditions
  return [...conditions.filter((condition) => condition !== old), failure]
}

/**
 * Writes status and revision where they are not true; says whether it had to.
 * The revision is an annotation of the Deployment, and goes with the status: one write instead of two.
 */
export function writeStatus(built: PlanBuilder, deployment: Deployment, status: DeploymentStatus, revision: string | undefined): boolean {
  const isRevised = revision === undefined || objectAnnotations(deployment)[revisionAnnotation] === revision
  if (isRevised && deepEqual(status, deployment.status)) return false
  const annotations = isRevised ? deployment.metadata.annotations : { ...objectAnnotations(deployment), [revisionAnnotation]: revision }
  const object = { ...deployment, metadata: { ...deployment.metadata, annotations } }
  // A concurrent write is not a failure: the next reconcile writes the status.
  built.operation({ do: "status", object, status, reason: statusSummary(deployment, status), tolerate: ["Conflict", "NotFound"] })
  return true
}

export function statusSummary(deployment: Deployment, status: DeploymentStatus): string {
  const { availableReplicas = 0, updatedReplicas = 0, terminatingReplicas = 0 } = status
  const terminating = terminatingReplicas > 0 ? `; ${terminatingReplicas} more on their way out` : ""
  return `${availableReplicas} of ${desiredReplicas(deployment)} pods available, ${updatedReplicas} with the current template${terminating}`
}
