import type { HorizontalPodAutoscalerBehavior, HPAScalingRules } from "@pilothouse/api/autoscaling/v2"
import type { Draft } from "../../body/draft.ts"

/** Up at once: the more of four pods and twice as many, every fifteen seconds. */
const up: Draft<HPAScalingRules> = {
  stabilizationWindowSeconds: 0,
  selectPolicy: "Max",
  policies: [
    { type: "Pods", value: 4, periodSeconds: 15 },
    { type: "Percent", value: 100, periodSeconds: 15 },
  ],
}
/** Down as far as need be; how long to wait before is the controller's to say. */
const down: Draft<HPAScalingRules> = { selectPolicy: "Max", policies: [{ type: "Percent", value: 100, periodSeconds: 15 }] }

/** Defaults the rules of both directions once a behavior is set. */
export function defaultBehavior(behavior: Draft<HorizontalPodAutoscalerBehavior>): void {
  behavior.scaleUp = filled(behavior.scaleUp, up)
  behavior.scaleDown = filled(behavior.scaleDown, down)
}

function filled(given: Draft<HPAScalingRules> | undefined, usual: Draft<HPAScalingRules>): Draft<HPAScalingRules> {
  const policies = given?.policies ?? (usual.policies ?? []).map((policy) => ({ ...policy }))
  return { ...usual, ...given, policies }
}
