import { findCondition, formatTime } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import type { PlanBuilder } from "@pilothouse/runtime"

/**
 * Pods that node lifecycle has marked not ready while their node was silent. The pod itself shows it, so that nothing is forgotten when a write
 * is refused: its containers are ready, and no reason is given. A kubelet always gives one.
 */
export function podsCalledLost(pods: readonly Pod[]): readonly Pod[] {
  return pods.filter(({ metadata, status }) => {
    if (status?.phase !== "Running" || metadata.deletionTimestamp !== undefined) return false
    const ready = findCondition(status.conditions, "Ready")
    return ready?.status === "False" && !ready.reason && findCondition(status.conditions, "ContainersReady")?.status === "True"
  })
}

/** Plans the Ready condition of pods that were marked not ready while their node was silent. */
export function sayReadyAgain(built: PlanBuilder, pods: readonly Pod[], now: number): void {
  for (const pod of pods) {
    const conditions = [{ type: "Ready", status: "True" as const, lastTransitionTime: formatTime(now) }]
    const patch = { metadata: { uid: pod.metadata.uid }, status: { conditions } }
    built.operation({
      do: "patch",
      object: pod,
      patch,
      type: "strategic",
      subresource: "status",
      tolerate: ["NotFound"],
      reason: "its node is back",
    })
  }
}
