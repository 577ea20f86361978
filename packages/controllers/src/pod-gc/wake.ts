import { isConditionTrue, isPodTerminal, keyOf } from "@pilothouse/api"
import { type Node, nodes, type Pod } from "@pilothouse/api/core/v1"
import type { Change, Reader } from "@pilothouse/runtime"
import { keyFor } from "./observe.ts"

const outOfServiceTaint = "node.kubernetes.io/out-of-service"

/** The node is down, and somebody has said that it will not come back with these pods. */
export function isOutOfService({ spec, status }: Node): boolean {
  return !isConditionTrue(status?.conditions, "Ready") && (spec?.taints ?? []).some((taint) => taint.key === outOfServiceTaint)
}

export function isDeleted({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined
}

/** Whether the change made the pod one that has finished; what is there at the start may have been so before. */
export function hasFinished(change: Change<Pod>): boolean {
  if (change.type === "updated") return isPodTerminal(change.object) && !isPodTerminal(change.old)
  return change.type === "added" && isPodTerminal(change.object)
}

/** Whether the change gave the pod a node. */
export function hasBeenPlaced(change: Change<Pod>): boolean {
  const node = change.object.spec?.nodeName
  return change.type === "updated" ? node !== change.old.spec?.nodeName : change.type === "added" && Boolean(node)
}

export function isStopping(change: Change<Pod>): boolean {
  return change.type !== "deleted" && isDeleted(change.object)
}

/** A pod on a node that nobody knows: the node has the quarantine to show up in. */
export function orphanedWith({ spec }: Pod, read: Reader): readonly string[] {
  const node = spec?.nodeName
  return node && read.get(nodes, node) === undefined ? [keyFor("orphaned", node)] : []
}

export function outOfServiceWith({ spec }: Pod, read: Reader): readonly string[] {
  const node = spec?.nodeName ? read.get(nodes, spec.nodeName) : undefined
  return node !== undefined && isOutOfService(node) ? [keyFor("out-of-service", node.metadata.name)] : []
}

export function unscheduled(pod: Pod): readonly string[] {
  return isDeleted(pod) && !pod.spec?.nodeName ? [keyFor("unscheduled", keyOf(pod))] : []
}
