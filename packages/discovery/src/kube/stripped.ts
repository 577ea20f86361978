import type { ObjectMeta } from "@pilothouse/api"
import type { Container, Node, Pod } from "@pilothouse/api/core/v1"

/** Several kilobytes on many objects, and nobody reads it here. */
const lastApplied = "kubectl.kubernetes.io/last-applied-configuration"

/** What the registry reads of a pod. One that is shared with a server in this process stays as it is: a copy would cost what the sharing saves. */
export function strippedPod(pod: Pod): Pod {
  if (Object.isFrozen(pod.metadata)) return pod
  const { apiVersion, kind, metadata, spec, status } = pod
  const { nodeName, serviceAccountName, hostNetwork, containers = [], initContainers = [] } = spec ?? {}
  const ready = status?.conditions?.filter(({ type }) => type === "Ready").map(({ type, status: is }) => ({ type, status: is }))
  return {
    apiVersion,
    kind,
    metadata: strippedMeta(metadata),
    spec: {
      nodeName,
      serviceAccountName,
      hostNetwork,
      containers: containers.map(strippedContainer),
      initContainers: initContainers.length === 0 ? undefined : initContainers.map(strippedContainer),
    },
    status: { phase: status?.phase, podIP: status?.podIP, podIPs: status?.podIPs, conditions: ready },
  }
}

/** Nodes list every image they have: most of a node is of no use here. */
export function strippedNode(node: Node): Node {
  if (Object.isFrozen(node.metadata)) return node
  const { apiVersion, kind, metadata, status } = node
  const { name, uid, resourceVersion, labels } = metadata
  return { apiVersion, kind, metadata: { name, uid, resourceVersion, labels }, status: { addresses: status?.addresses } }
}

function strippedMeta(metadata: ObjectMeta): ObjectMeta {
  const { name, namespace, uid, resourceVersion, labels, annotations, ownerReferences, creationTimestamp, deletionTimestamp } = metadata
  const { [lastApplied]: _, ...others } = annotations ?? {}
  const kept = annotations === undefined ? undefined : others
  return { name, namespace, uid, resourceVersion, labels, annotations: kept, ownerReferences, creationTimestamp, deletionTimestamp }
}

function strippedContainer({ name, ports, readinessProbe, livenessProbe, restartPolicy }: Container): Container {
  return { name, ports, readinessProbe, livenessProbe, restartPolicy }
}
