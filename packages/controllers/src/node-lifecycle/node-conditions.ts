import { deepEqual, findCondition, formatTime } from "@pilothouse/api"
import type { Node, NodeCondition } from "@pilothouse/api/core/v1"

/** The conditions that the kubelet writes. NetworkUnavailable belongs to the control plane. */
const types = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"] as const

/** Returns the conditions of a lost node; undefined when the node has them already. */
export function unknownConditions({ metadata, status }: Node, now: number): readonly NodeCondition[] | undefined {
  const before = status?.conditions ?? []
  const time = formatTime(now)
  const changed = before.map((condition) =>
    isOurs(condition.type) && condition.status !== "Unknown" ? statusUnknown(condition, time) : condition,
  )
  const missing = types.filter((type) => !before.some((condition) => condition.type === type))
  const next = [...changed, ...missing.map((type) => neverUpdated(type, metadata.creationTimestamp, time))]
  return deepEqual(before, next) ? undefined : next
}

function isOurs(type: string): boolean {
  return types.some((one) => one === type)
}

function statusUnknown(condition: NodeCondition, time: string): NodeCondition {
  return {
    ...condition,
    status: "Unknown",
    reason: "NodeStatusUnknown",
    message: "Kubelet stopped posting node status.",
    lastTransitionTime: time,
  }
}

function neverUpdated(type: string, created: string | undefined, time: string): NodeCondition {
  return {
    type,
    status: "Unknown",
    reason: "NodeStatusNeverUpdated",
    message: "Kubelet never posted node status.",
    ...(created !== undefined && { lastHeartbeatTime: created }),
    lastTransitionTime: time,
  }
}

/** Returns the Ready condition, set by the kubelet or by this controller; undefined before the kubelet's first status. */
export function readyCondition({ status }: Node): NodeCondition | undefined {
  return findCondition(status?.conditions, "Ready")
}

export function isReady(node: Node): boolean {
  return readyCondition(node)?.status === "True"
}
