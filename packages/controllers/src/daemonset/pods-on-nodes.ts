import { isPodTerminal } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import { targetNode } from "./daemon-pod.ts"

export type PodsOnNodes = ReadonlyMap<string, readonly Pod[]>

/** Pods by the node they are on or meant for, oldest first. What has ended and is deleted already is for the kubelet and pod-gc to let go. */
export function podsOnNodes(pods: readonly Pod[]): PodsOnNodes {
  const counted = pods.filter((pod) => !(isPodTerminal(pod) && isDeleted(pod)))
  const groups = Map.groupBy(counted, (pod) => targetNode(pod) ?? "")
  groups.delete("")
  return new Map([...groups].map(([node, group]) => [node, group.sort(byAge)]))
}

/** Those that have a node come before those that wait for it: whoever keeps the first keeps one that runs. */
function byAge(a: Pod, b: Pod): number {
  const assigned = Number(Boolean(b.spec?.nodeName)) - Number(Boolean(a.spec?.nodeName))
  return assigned || compare(a.metadata.creationTimestamp ?? "", b.metadata.creationTimestamp ?? "") || compare(nameOf(a), nameOf(b))
}

/** Deleted, whether it still runs or not. */
export function isDeleted(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined
}

function nameOf({ metadata }: Pod): string {
  return metadata.name ?? ""
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}
