import { deepEqual, isPodReady, type KubeObject } from "@pilothouse/api"
import type { Endpoints, Node, Pod } from "@pilothouse/api/core/v1"
import type { EndpointSlice } from "@pilothouse/api/discovery/v1"

/** Nodes say every few seconds that they live; only their labels and addresses matter here. */
export function sameNode(old: Node, node: Node): boolean {
  return deepEqual(old.metadata.labels, node.metadata.labels) && deepEqual(old.status?.addresses, node.status?.addresses)
}

/** Reports whether labels and annotations are equal. */
export function sameLabelsAndAnnotations(old: Pick<KubeObject, "metadata">, object: Pick<KubeObject, "metadata">): boolean {
  return deepEqual(old.metadata.labels, object.metadata.labels) && deepEqual(old.metadata.annotations, object.metadata.annotations)
}

/** Pods change their status often; what matters is who they are, where, and whether they count. */
export function samePod(old: Pod, pod: Pod): boolean {
  return sameLabelsAndAnnotations(old, pod) && deepEqual(factsOf(old), factsOf(pod))
}

function factsOf(pod: Pod): unknown {
  const { metadata, spec, status } = pod
  const { uid, deletionTimestamp, ownerReferences } = metadata
  return [uid, deletionTimestamp, ownerReferences, spec?.nodeName, status?.phase, status?.podIP, status?.podIPs, isPodReady(pod)]
}

/** Everything but the churn of metadata. */
export function sameSlice(old: EndpointSlice, slice: EndpointSlice): boolean {
  return (
    deepEqual(old.endpoints, slice.endpoints) &&
    deepEqual(old.ports, slice.ports) &&
    old.addressType === slice.addressType &&
    deepEqual(old.metadata.labels, slice.metadata.labels)
  )
}

/** Endpoints by their subsets only: resourceVersions come and go. */
export function sameEndpoints(old: Endpoints, endpoints: Endpoints): boolean {
  return deepEqual(old.subsets, endpoints.subsets)
}
