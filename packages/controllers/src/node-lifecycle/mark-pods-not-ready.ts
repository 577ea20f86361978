import { findCondition, formatTime, parseTime } from "@pilothouse/api"
import type { Node, Pod } from "@pilothouse/api/core/v1"
import type { PlanBuilder } from "@pilothouse/runtime"
import { readyCondition } from "./node-conditions.ts"

/**
 * Returns the pods that were ready when the heartbeats of their node stopped. A pod that becomes ready later was reported by a live kubelet
 * and stays ready; otherwise the two would overwrite each other forever.
 */
export function podsStillReady(node: Node, pods: readonly Pod[]): readonly Pod[] {
  const lost = readyCondition(node)
  if (lost?.status !== "Unknown") return []
  return pods.filter(({ status }) => {
    const ready = findCondition(status?.conditions, "Ready")
    return ready?.status === "True" && !(time(ready.lastTransitionTime) > time(lost.lastTransitionTime))
  })
}

/** Marks the pod as not ready, so that Services stop sending to it. NotFound is tolerated. */
export function markNotReady(built: PlanBuilder, pod: Pod, reason: string, now: number): void {
  const conditions = [{ type: "Ready", status: "False", lastTransitionTime: formatTime(now) }]
  const patch = { metadata: { uid: pod.metadata.uid }, status: { conditions } }
  built.operation({ do: "patch", object: pod, patch, type: "strategic", subresource: "status", tolerate: ["NotFound"], reason })
  built.event(pod, "Warning", "NodeNotReady", "Node is not ready")
}

function time(text: string | undefined): number {
  return text === undefined ? Number.NEGATIVE_INFINITY : parseTime(text)
}
