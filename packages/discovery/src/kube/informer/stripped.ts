import type { ObjectMeta } from "@pilothouse/api"
import type { Container, Node, Pod } from "@pilothouse/api/core/v1"
import type { EndpointSlice } from "@pilothouse/api/discovery/v1"
import { asItIs, type Share } from "../convert/sharing.ts"

/** Several kilobytes on many objects, and not read here. */
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

/**
 * Returns the part of a pod that the registry reads. One that is shared with a server in this process stays as it is: a copy would cost what the
 * sharing saves.
 */
export function strippedPod(pod: Pod, share: Share = asItIs): Pod {
  if (Object.isFrozen(pod.metadata)) return pod
  const { apiVersion, kind, metadata, spec, status } = pod
  const { nodeName, serviceAccountName, hostNetwork, containers = [], initContainers = [] } = spec ?? {}
  const ready = status?.conditions?.filter(({ type }) => type === "Ready").map(({ type, status: is }) => ({ type, status: is }))
  return {
    apiVersion,
    kind,
    metadata: strippedMeta(metadata, share),
    spec: {
      nodeName,
      serviceAccountName,
      hostNetwork,
      containers: share("containers", containers.map(strippedContainer)),
      initContainers: initContainers.length === 0 ? undefined : initContainers.map(strippedContainer),
    },
    status: { phase: status?.phase, podIP: status?.podIP, podIPs: otherAddresses(status), conditions: share("conditions", ready) },
  }
}

/** Most pods have one address, and say it twice. */
function otherAddresses({ podIP, podIPs }: NonNullable<Pod["status"]> = {}): NonNullable<Pod["status"]>["podIPs"] {
  return podIPs?.length === 1 && podIPs[0]!.ip === podIP ? undefined : podIPs
}

/** Nodes list every image they have: most of a node is of no use here. */
export function strippedNode(node: Node): Node {
  if (Object.isFrozen(node.metadata)) return node
  const { apiVersion, kind, metadata, status } = node
  const { name, uid, resourceVersion, labels } = metadata
  return { apiVersion, kind, metadata: { name, uid, resourceVersion, labels }, status: { addresses: status?.addresses } }
}

/** Returns what a registry reads of a slice: zones and hints are for kube-proxy, and of a pod the name is enough. */
export function strippedSlice(slice: EndpointSlice, share: Share = asItIs): EndpointSlice {
  if (Object.isFrozen(slice.metadata)) return slice
  const { apiVersion, kind, metadata, addressType, ports, endpoints } = slice
  return {
    apiVersion,
    kind,
    metadata: strippedMeta(metadata, share),
    addressType,
    ports: share("ports", ports),
    // An empty list may be there as null.
    endpoints: endpoints?.map((endpoint) => strippedEndpoint(endpoint, share)) ?? endpoints,
  }
}

type SliceEndpoint = NonNullable<EndpointSlice["endpoints"]>[number]

function strippedEndpoint({ addresses, conditions, nodeName, targetRef }: SliceEndpoint, share: Share): SliceEndpoint {
  const ref = targetRef && { kind: targetRef.kind, namespace: targetRef.namespace, name: targetRef.name }
  return { addresses, conditions: share("endpoint conditions", conditions), nodeName, targetRef: ref }
}

function strippedMeta(metadata: ObjectMeta, share: Share): ObjectMeta {
  const { name, namespace, uid, resourceVersion, labels, annotations, ownerReferences, deletionTimestamp } = metadata
  const { [lastApplied]: _, ...others } = annotations ?? {}
  const kept = annotations === undefined ? undefined : others
  return {
    name,
    namespace,
    uid,
    resourceVersion,
    labels: share("labels", labels),
    annotations: share("annotations", kept),
    ownerReferences: share("owners", ownerReferences),
    deletionTimestamp,
  }
}

function strippedContainer({ name, ports, readinessProbe, livenessProbe, restartPolicy }: Container): Container {
  return { name, ports, readinessProbe, livenessProbe, restartPolicy }
}
