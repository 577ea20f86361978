import { controllerOf, scaledIntOrPercent } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import { needsScales, type Observed } from "./observe.ts"

export interface Expected {
  /** How many pods there should be. */
  readonly pods: number
  /** How many of them have to be healthy. */
  readonly healthy: number
}

/** Shares are rounded up both ways: of 3 pods, 50 % available are 2, and 50 % unavailable are 2. */
export function expectedOf({ budget, pods, scales }: Observed): Expected {
  const { minAvailable, maxUnavailable } = budget.spec ?? {}
  const scaled = scales.reduce((sum, { replicas }) => sum + replicas, 0)
  if (maxUnavailable !== undefined) return { pods: scaled, healthy: Math.max(0, scaled - scaledIntOrPercent(maxUnavailable, scaled, "up")) }
  if (typeof minAvailable === "number") return { pods: pods.length, healthy: minAvailable }
  if (minAvailable !== undefined) return { pods: scaled, healthy: scaledIntOrPercent(minAvailable, scaled, "up") }
  return { pods: 0, healthy: 0 }
}

/** Pods that nobody controls, where that matters: nobody says how many of them there should be. */
export function unmanagedOf({ budget, pods }: Observed): readonly Pod[] {
  return needsScales(budget) ? pods.filter((pod) => controllerOf(pod) === undefined) : []
}
