import type { HorizontalPodAutoscaler, HPAScalingRules } from "@pilothouse/api/autoscaling/v2"

/** How fast replicas may come or go, with everything filled in. */
export interface Rules {
  readonly policies: NonNullable<HPAScalingRules["policies"]>
  readonly selectPolicy: string
  /** In milliseconds. */
  readonly window: number
}

export interface Behavior {
  readonly up: Rules
  readonly down: Rules
}

const defaultUp = [
  { type: "Pods", value: 4, periodSeconds: 15 },
  { type: "Percent", value: 100, periodSeconds: 15 },
]
const defaultDown = [{ type: "Percent", value: 100, periodSeconds: 15 }]

/** What the API server fills in is filled in here too; only the window for going down has a flag. Undefined: the older, plainer rules hold. */
export function behaviorOf({ spec }: HorizontalPodAutoscaler, downscaleStabilization: number): Behavior | undefined {
  const { behavior } = spec
  if (behavior === undefined) return undefined
  return { up: rules(behavior.scaleUp, defaultUp, 0), down: rules(behavior.scaleDown, defaultDown, downscaleStabilization) }
}

function rules(given: HPAScalingRules | undefined, policies: Rules["policies"], window: number): Rules {
  const { stabilizationWindowSeconds } = given ?? {}
  return {
    policies: given?.policies ?? policies,
    selectPolicy: given?.selectPolicy ?? "Max",
    window: stabilizationWindowSeconds === undefined ? window : stabilizationWindowSeconds * 1000,
  }
}
