import { formatTime } from "@pilothouse/api"
import type { PodCondition } from "@pilothouse/api/core/v1"
import type { DecideContext, PlanBuilder } from "@pilothouse/runtime"
import type { Observed } from "./observe.ts"
import type { Victims } from "./preempt.ts"
import { schedulerName } from "./waiting-pods.ts"

/** First they are told why, then they are told to go. */
export function planEvictions(built: PlanBuilder, { pod }: Observed, { node, victims }: Victims, { now }: DecideContext): void {
  const because = `${pod.key} has a higher priority and needs its place on ${node.name}`
  const leaving = victims.filter(({ isDeleting }) => !isDeleting)
  for (const { pod: victim } of leaving) {
    const condition: PodCondition = {
      type: "DisruptionTarget",
      status: "True",
      reason: "PreemptionByScheduler",
      message: `${schedulerName}: preempting to accommodate a higher priority pod`,
      lastTransitionTime: formatTime(now),
      observedGeneration: victim.metadata.generation,
    }
    const patch = { metadata: { uid: victim.metadata.uid }, status: { conditions: [condition] } }
    built.operation({ do: "patch", object: victim, patch, type: "strategic", subresource: "status", fineIf: ["NotFound"], because })
  }
  built.afterThat()
  for (const { pod: victim } of leaving) {
    built.delete(victim, because)
    built.event(victim, "Normal", "Preempted", `Preempted by pod ${pod.uid} on node ${node.name}`, {
      action: "Preempting",
      related: pod.pod,
    })
  }
  built.afterThat()
}
