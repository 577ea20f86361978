import { findCondition, formatTime, parseTime } from "@pilothouse/api"
import type { Node, Pod } from "@pilothouse/api/core/v1"
import type { PlanBuilder } from "@pilothouse/runtime"
import { readyCondition } from "./node-conditions.ts"

/**
 * Pods that were ready when their node fell silent: nobody can say that they still are. What becomes ready later was said by a kubelet that
 * lives, and is believed, or the two would contradict each other for ever.
 */
export function podsLeftReady(node: Node, pods: readonly Pod[]): readonly Pod[] {
  const lost = readyCondition(node)
  if (lost?.status !== "Unknown") return []
  return pods.filter(({ status }) => {
    const ready = findCondition(status?.conditions, "Ready")
    return ready?.status === "True" && !(time(ready.lastTransitionTime) > time(lost.lastTransitionTime))
  })
}

/** So that Services stop sending to it. A pod that is gone meanwhile is not missed. */
export function markNotReady(built: PlanBuilder, pod: Pod, reason: string, now: number): void {
  const conditions = [{ type: "Ready", status: "False", lastTransitionTime: formatTime(now) }]
  const patch = { metadata: { uid: pod.metadata.uid }, status: { conditions } }
  built.operation({ do: "patch", object: pod, patch, type: "strategic", subresource: "status", tolerate: ["NotFound"], reason })
  built.event(pod, "Warning", "NodeNotReady", "Node is not ready")
}

function time(text: string | undefined): number {
  return text === undefined ? Number.NEGATIVE_INFINITY : parseTime(text)
}
