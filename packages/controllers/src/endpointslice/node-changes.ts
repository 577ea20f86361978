import { deepEqual, isConditionTrue } from "@pilothouse/api"
import { type Node, services } from "@pilothouse/api/core/v1"
import { type Change, index, podsByNode, type Reader } from "@pilothouse/runtime"
import { servicesOf } from "../service-endpoints/selector.ts"
import { wantsTopologyHints } from "./topology-annotation.ts"

const zoneLabel = "topology.kubernetes.io/zone"

/** The one value that Services with the topology annotation stand under. */
export const topologyServices = "yes"

export const servicesWithTopology = index(services, "topology-hints", (service) => (wantsTopologyHints(service) ? [topologyServices] : []))

/** Services that select a pod on the node. */
export function servicesOnNode({ metadata }: Node, read: Reader): readonly string[] {
  return read.byIndex(podsByNode, metadata.name ?? "").flatMap((pod) => servicesOf(pod, read))
}

/** Endpoints name the zone of their node, and pods wait for a node that nobody knows yet. At the start every Service is looked at anyway. */
export function mayPlacePods(change: Change<Node>, initial: boolean): boolean {
  if (change.type === "updated") return zoneOf(change.old) !== zoneOf(change.object)
  return change.type === "added" && !initial
}

export function changesShares(change: Change<Node>, initial: boolean): boolean {
  if (change.type !== "updated") return !initial
  return !deepEqual(shareOf(change.old), shareOf(change.object))
}

function shareOf(node: Node): unknown {
  return [zoneOf(node), isConditionTrue(node.status?.conditions, "Ready"), node.status?.allocatable?.cpu]
}

function zoneOf({ metadata }: Node): string | undefined {
  return metadata.labels?.[zoneLabel]
}
