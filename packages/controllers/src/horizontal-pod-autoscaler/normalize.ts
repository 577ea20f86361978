import type { HorizontalPodAutoscaler } from "@pilothouse/api/autoscaling/v2"
import { behaviorOf } from "./behavior.ts"
import type { ConditionDraft } from "./conditions.ts"
import { minimumOf } from "./course.ts"
import { limit, limitWith } from "./limits.ts"
import type { Remembered } from "./memory.ts"
import { stabilize, stabilizeWith } from "./stabilize.ts"

interface Situation {
  readonly conditions: ConditionDraft
  readonly current: number
  readonly remembered: Remembered
}

interface Options {
  readonly now: number
  readonly downscaleStabilization: number
}

/** What the metrics ask for, within the windows, the policies and the bounds; the conditions say what held it back. */
export function normalize(hpa: HorizontalPodAutoscaler, situation: Situation, recommended: number, options: Options): number {
  const { conditions, current, remembered } = situation
  const { now, downscaleStabilization } = options
  const behavior = behaviorOf(hpa, downscaleStabilization)
  const stabilized =
    behavior === undefined
      ? stabilize(recommended, remembered.recommendations, downscaleStabilization, now)
      : stabilizeWith(behavior, { recommended, current, now }, remembered.recommendations)
  const { replicas: desired, reason, message } = stabilized
  if (desired === recommended) conditions.set("AbleToScale", true, "ReadyForNewScale", "recommended size matches current size")
  else conditions.set("AbleToScale", true, reason, message)
  const bounds = { current, desired, min: minimumOf(hpa), max: hpa.spec.maxReplicas }
  const limited = behavior === undefined ? limit(bounds) : limitWith(behavior, bounds, remembered, now)
  conditions.set("ScalingLimited", limited.replicas !== desired, limited.reason, limited.message)
  return limited.replicas
}

/** How long a recommendation may still be asked for. */
export function longestWindow(hpa: HorizontalPodAutoscaler, downscaleStabilization: number): number {
  const behavior = behaviorOf(hpa, downscaleStabilization)
  return Math.max(downscaleStabilization, behavior?.up.window ?? 0, behavior?.down.window ?? 0)
}
