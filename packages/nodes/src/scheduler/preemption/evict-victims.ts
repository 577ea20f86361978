import { formatTime } from "@pilothouse/api"
import type { PodCondition } from "@pilothouse/api/core/v1"
import type { DecideContext, PlanBuilder } from "@pilothouse/runtime"
import type { NodeView } from "../cache/node-state.ts"
import type { Observed } from "../cache/observe.ts"
import { defaultProfile } from "../profiles/profile.ts"
import type { Victims } from "./preempt.ts"

/** Plans the evictions: first the condition of each victim, then its deletion. */
export function planEvictions(built: PlanBuilder, observed: Observed, { node, victims }: Victims, { now }: DecideContext): void {
  const { pod, profile = defaultProfile } = observed
  const reason = `${pod.key} has a higher priority and needs its place on ${node.name}`
  const leaving = victims.filter(({ isDeleting }) => !isDeleting)
  for (const { pod: victim } of leaving) {
    const condition: PodCondition = {
      type: "DisruptionTarget",
      status: "True",
      reason: "PreemptionByScheduler",
      message: `${profile.schedulerName}: preempting to accommodate a higher priority pod`,
      lastTransitionTime: formatTime(now),
      observedGeneration: victim.metadata.generation,
    }
    const patch = { metadata: { uid: victim.metadata.uid }, status: { conditions: [condition] } }
    built.operation({ do: "patch", object: victim, patch, type: "strategic", subresource: "status", tolerate: ["NotFound"], reason })
  }
  giveUpPlaces(built, observed, node)
  built.nextStep()
  for (const { pod: victim } of leaving) {
    built.delete(victim, reason)
    built.event(victim, "Normal", "Preempted", `Preempted by pod ${pod.uid} on node ${node.name}`, {
      action: "Preempting",
      related: pod.pod,
    })
  }
  built.nextStep()
}

/** Clears the nominations of pods of lower priority on the node: they are scheduled elsewhere now, and not when the capacity turns out to be taken. */
function giveUpPlaces(built: PlanBuilder, { pod, nodes }: Observed, { name }: NodeView): void {
  const reason = `${pod.key} has a higher priority and takes the place on ${name} that was made for it`
  for (const other of nodes.nominatedOn(name)) {
    if (other.priority >= pod.priority || !other.pod.status?.nominatedNodeName) continue
    const patch = { metadata: { uid: other.uid }, status: { nominatedNodeName: null } }
    built.operation({ do: "patch", object: other.pod, patch, type: "strategic", subresource: "status", tolerate: ["NotFound"], reason })
  }
}
