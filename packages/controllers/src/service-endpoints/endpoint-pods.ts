import { deepEqual, isPodReady, isPodTerminal } from "@pilothouse/api"
import type { Pod, Service } from "@pilothouse/api/core/v1"
import type { Change } from "@pilothouse/runtime"

/** Reports whether a pod can receive traffic: it has an address and has not finished. */
export function hasAddress(pod: Pod): boolean {
  return !isPodTerminal(pod) && ((pod.status?.podIPs ?? []).length > 0 || Boolean(pod.status?.podIP))
}

export function isDeleted({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined
}

/** The pod's own name in the DNS of the Service; undefined unless the pod asks for one. */
export function hostnameIn({ metadata }: Service, pod: Pod): string | undefined {
  const { hostname, subdomain } = pod.spec ?? {}
  return hostname && subdomain === metadata.name && pod.metadata.namespace === metadata.namespace ? hostname : undefined
}

/**
 * Reports whether a change of a pod can change the endpoints of a Service. Most status changes cannot, and a Service may have a thousand
 * pods.
 */
export function concernsEndpoints(change: Change<Pod>): boolean {
  switch (change.type) {
    case "added":
      return hasAddress(change.object)
    case "deleted":
    case "resync":
      return true
    case "updated":
      return !deepEqual(endpointFacts(change.old), endpointFacts(change.object))
  }
}

function endpointFacts(pod: Pod): unknown {
  const { hostname, subdomain } = pod.spec ?? {}
  const facts = { ready: isPodReady(pod), deleted: isDeleted(pod), addressed: hasAddress(pod) }
  return { ...facts, addresses: pod.status?.podIPs, labels: pod.metadata.labels, hostname, subdomain }
}
