import type { Pod } from "../generated/core/v1.types.ts"
import type { PodDisruptionBudget } from "../generated/policy/v1.types.ts"
import { isPodReady, isPodTerminal } from "./pod-phase.ts"

/** Evicting a pod that does not serve disturbs no client: no budget is consulted. */
export function isEvictionUndisturbing(pod: Pod): boolean {
  return isPodTerminal(pod) || pod.status?.phase === "Pending" || pod.metadata.deletionTimestamp !== undefined
}

/** A pod that is not ready counts for nothing, so that its end takes nothing away; usually it may go only while enough others are healthy. */
export function needsBudget(pod: Pod, { spec, status }: Pick<PodDisruptionBudget, "spec" | "status">): boolean {
  if (isPodReady(pod)) return true
  if (spec?.unhealthyPodEvictionPolicy === "AlwaysAllow") return false
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {}
  return desiredHealthy === 0 || currentHealthy < desiredHealthy
}
