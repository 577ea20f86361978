import { findCondition, formatTime } from "@pilothouse/api"
import type { Node, Pod, PodStatus } from "@pilothouse/api/core/v1"

/** Pods that others have called not ready since the node was last heard of. */
export function podsLostWith({ status }: Node, pods: readonly Pod[]): readonly Pod[] {
  const lost = findCondition(status?.conditions, "Ready")
  if (lost?.status !== "Unknown") return []
  const running = pods.filter(({ metadata, status: said }) => said?.phase === "Running" && metadata.deletionTimestamp === undefined)
  return running.filter((pod) => {
    const ready = findCondition(pod.status?.conditions, "Ready")
    return ready?.status === "False" && (ready.lastTransitionTime ?? "") >= (lost.lastTransitionTime ?? "")
  })
}

export function readyAgain(now: number): { readonly status: PodStatus } {
  return { status: { conditions: [{ type: "Ready", status: "True", lastTransitionTime: formatTime(now) }] } }
}
