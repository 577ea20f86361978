import type { LoadBalancerStatus, Service } from "@pilothouse/api/core/v1"
import type { KubeOperation } from "@pilothouse/runtime"
import { cleanupFinalizer } from "./wanted.ts"

export const removesFinalizer = "nothing has to be cleaned up after it any more"

export function addFinalizer(service: Service): KubeOperation {
  const reason = "the Service must not go before its load balancer has"
  return { do: "patch", object: service, patch: ofThis(service, { finalizers: [cleanupFinalizer] }), type: "strategic", reason }
}

export function removeFinalizer(service: Service): KubeOperation {
  const patch = ofThis(service, { "$deleteFromPrimitiveList/finalizers": [cleanupFinalizer] })
  return { do: "patch", object: service, patch, type: "strategic", reason: removesFinalizer, tolerate: ["NotFound"] }
}

export type BalancerAnnotations = Readonly<Record<string, string>> | undefined

/** What the cloud calls its balancer. */
export function annotationPatch(service: Service, annotations: BalancerAnnotations): KubeOperation {
  const patch = ofThis(service, { annotations })
  return { do: "patch", object: service, patch, type: "merge", reason: "this is what the cloud calls it", tolerate: ["NotFound"] }
}

export function statusPatch(service: Service, status: LoadBalancerStatus): KubeOperation {
  const patch = { ...ofThis(service), status: { loadBalancer: { ingress: status.ingress ?? null } } }
  const reason = status.ingress === undefined ? "its load balancer is gone" : "this is where its load balancer is"
  return { do: "patch", object: service, patch, subresource: "status", reason, tolerate: ["NotFound"] }
}

/** The UID makes sure that it is not another Service of the same name. */
function ofThis({ metadata }: Service, changes: Readonly<Record<string, unknown>> = {}) {
  return { metadata: { uid: metadata.uid, ...changes } }
}
