import { findCondition } from "@pilothouse/api"
import type { Node, NodeCondition } from "@pilothouse/api/core/v1"

/** What the node says of itself, or what was said of it when it fell silent; undefined before its kubelet has ever spoken. */
export function readyCondition({ status }: Node): NodeCondition | undefined {
  return findCondition(status?.conditions, "Ready")
}

export function isReady(node: Node): boolean {
  return readyCondition(node)?.status === "True"
}
