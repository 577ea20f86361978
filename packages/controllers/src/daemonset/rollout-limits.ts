import { scaledIntOrPercent } from "@pilothouse/api"
import type { DaemonSet } from "@pilothouse/api/apps/v1"

export interface RolloutLimits {
  readonly maxSurge: number
  readonly maxUnavailable: number
}

/** Of so many nodes. Both round up. With neither one pod may be missing: a rollout that may do nothing would never end. */
export function rolloutLimits(daemonSet: DaemonSet, nodes: number): RolloutLimits {
  const { maxSurge, maxUnavailable } = limitsIn(daemonSet)
  const surge = scaledIntOrPercent(maxSurge, nodes, "up")
  const unavailable = scaledIntOrPercent(maxUnavailable, nodes, "up")
  return { maxSurge: surge, maxUnavailable: nodes > 0 && surge === 0 && unavailable === 0 ? 1 : unavailable }
}

/** Whether a node may have two pods for a while. */
export function allowsSurge(daemonSet: DaemonSet): boolean {
  return rolloutLimits(daemonSet, 1).maxSurge > 0
}

export function isRolling({ spec }: DaemonSet): boolean {
  return spec?.updateStrategy?.type === "RollingUpdate"
}

function limitsIn(daemonSet: DaemonSet) {
  const rolling = isRolling(daemonSet) ? daemonSet.spec?.updateStrategy?.rollingUpdate : undefined
  return { maxSurge: rolling?.maxSurge ?? 0, maxUnavailable: rolling?.maxUnavailable ?? (rolling === undefined ? 0 : 1) }
}
