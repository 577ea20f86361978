import { deepEqual, findCondition, formatTime } from "@pilothouse/api"
import type { Node, NodeCondition } from "@pilothouse/api/core/v1"

/** Not NetworkUnavailable: that one is the control plane's own. */
const types = ["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"] as const

/** The conditions of a node that is not heard of any more; undefined when they say so already. */
export function unknownConditions({ metadata, status }: Node, now: number): readonly NodeCondition[] | undefined {
  const before = status?.conditions ?? []
  const time = formatTime(now)
  const changed = before.map((condition) =>
    isOurs(condition.type) && condition.status !== "Unknown" ? silent(condition, time) : condition,
  )
  const missing = types.filter((type) => !before.some((condition) => condition.type === type))
  const next = [...changed, ...missing.map((type) => never(type, metadata.creationTimestamp, time))]
  return deepEqual(before, next) ? undefined : next
}

function isOurs(type: string): boolean {
  return types.some((one) => one === type)
}

function silent(condition: NodeCondition, time: string): NodeCondition {
  return {
    ...condition,
    status: "Unknown",
    reason: "NodeStatusUnknown",
    message: "Kubelet stopped posting node status.",
    lastTransitionTime: time,
  }
}

function never(type: string, created: string | undefined, time: string): NodeCondition {
  return {
    type,
    status: "Unknown",
    reason: "NodeStatusNeverUpdated",
    message: "Kubelet never posted node status.",
    ...(created !== undefined && { lastHeartbeatTime: created }),
    lastTransitionTime: time,
  }
}

/** What the node says of itself, or what was said of it when it fell silent; undefined before its kubelet has ever spoken. */
export function readyCondition({ status }: Node): NodeCondition | undefined {
  return findCondition(status?.conditions, "Ready")
}

export function isReady(node: Node): boolean {
  return readyCondition(node)?.status === "True"
}
