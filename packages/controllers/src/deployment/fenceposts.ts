import { scaledIntOrPercent } from "@pilothouse/api"
import type { Deployment } from "@pilothouse/api/apps/v1"

/** How far a rollout may leave the wanted number of pods, in pods. */
export interface Fenceposts {
  readonly maxSurge: number
  readonly maxUnavailable: number
}

export function desiredReplicas({ spec }: Deployment): number {
  return spec?.replicas ?? 1
}

export function isRecreate({ spec }: Deployment): boolean {
  return spec?.strategy?.type === "Recreate"
}

/**
 * Surge rounds up and unavailable rounds down: 25 % of 3 allows 1 more pod, and 0 fewer.
 * Where both come to 0 nothing could ever move, so one pod may be unavailable. The API server fills in 25 % where nothing is said.
 */
export function fenceposts(deployment: Deployment): Fenceposts {
  if (isRecreate(deployment)) return { maxSurge: 0, maxUnavailable: 0 }
  const replicas = desiredReplicas(deployment)
  const { maxSurge = 0, maxUnavailable = 0 } = deployment.spec?.strategy?.rollingUpdate ?? {}
  const surge = scaledIntOrPercent(maxSurge, replicas, "up")
  const unavailable = scaledIntOrPercent(maxUnavailable, replicas, "down")
  const movable = surge === 0 && unavailable === 0 ? 1 : unavailable
  return { maxSurge: surge, maxUnavailable: Math.min(movable, replicas) }
}

/** The fewest pods that have to be available. */
export function minAvailable(deployment: Deployment): number {
  return desiredReplicas(deployment) - fenceposts(deployment).maxUnavailable
}

/** The most pods there may be. */
export function maxReplicas(deployment: Deployment): number {
  return desiredReplicas(deployment) + fenceposts(deployment).maxSurge
}
