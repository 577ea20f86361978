import { isConditionTrue, isPodTerminal } from "@pilothouse/api"
import { type Node, nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import { index, podsByNode, type Reader } from "@pilothouse/runtime"

/** What a reconcile is about. A key is one of these and, after a colon, the node or pod. */
export type Concern = "terminated" | "out-of-service" | "orphaned" | "unscheduled"

export type Observed =
  /** All finished pods. */
  | { readonly concern: "terminated"; readonly pods: readonly Pod[] }
  /** The pods of the node. */
  | { readonly concern: "out-of-service"; readonly node: Node; readonly pods: readonly Pod[] }
  /** The pods of a node that the API server does not have. */
  | { readonly concern: "orphaned"; readonly node: string; readonly pods: readonly Pod[] }
  | { readonly concern: "unscheduled"; readonly pods: readonly Pod[] }

/** Pods that have finished, under the one value "yes". */
export const terminatedPods = index(pods, "terminated", (pod) => (isPodTerminal(pod) ? ["yes"] : []))

export function keyFor(concern: Concern, about = ""): string {
  return `${concern}:${about}`
}

/** Reads the pods that a key is about, by the reason for which they could be deleted. */
export function observe(key: string, read: Reader): Observed | undefined | Promise<Observed | undefined> {
  const at = key.indexOf(":")
  const about = key.slice(at + 1)
  switch (key.slice(0, at) as Concern) {
    case "terminated":
      return { concern: "terminated", pods: read.byIndex(terminatedPods, "yes") }
    case "out-of-service":
      return outOfService(about, read)
    case "orphaned":
      return orphaned(about, read)
    case "unscheduled":
      return unscheduled(about, read)
  }
}

function unscheduled(key: string, read: Reader): Observed | undefined {
  const pod = read.get(pods, key)
  return pod && { concern: "unscheduled", pods: [pod] }
}

function outOfService(name: string, read: Reader): Observed | undefined {
  const node = read.get(nodes, name)
  return node && { concern: "out-of-service", node, pods: read.byIndex(podsByNode, name) }
}

/** Reads the node from the API server before its pods are deleted, because the cache may lag. */
async function orphaned(node: string, read: Reader): Promise<Observed | undefined> {
  if (read.get(nodes, node) !== undefined || read.byIndex(podsByNode, node).length === 0) return undefined
  if ((await read.live(nodes, node)) !== undefined) return undefined
  return { concern: "orphaned", node, pods: read.byIndex(podsByNode, node) }
}

const outOfServiceTaint = "node.kubernetes.io/out-of-service"

/** Reports whether the node is not ready and has the out-of-service taint, which says that it will not come back with these pods. */
export function isOutOfService({ spec, status }: Node): boolean {
  return !isConditionTrue(status?.conditions, "Ready") && (spec?.taints ?? []).some((taint) => taint.key === outOfServiceTaint)
}

export function isDeleted({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined
}
