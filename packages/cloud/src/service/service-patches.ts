import type { LoadBalancerStatus, Service } from "@pilothouse/api/core/v1"
import type { KubeOperation } from "@pilothouse/runtime"
import { cleanupFinalizer } from "./wants-load-balancer.ts"

/** Of every patch: upstream's role for this controller may patch the status of Services, metadata with it, and not Services themselves. */
const subresource = "status"

/** A patch of the finalizers of a Service. `finalizer` says which, for the message of a failure. */
export type FinalizerPatch = KubeOperation & { readonly finalizer: "add" | "remove" }

/** Returns the patch that keeps the Service until its balancer is deleted. */
export function addFinalizer(service: Service): FinalizerPatch {
  const patch = ofThis(service, { finalizers: [cleanupFinalizer] })
  const reason = "the Service must not be deleted before its load balancer"
  return { do: "patch", finalizer: "add", object: service, patch, subresource, type: "strategic", reason }
}

/** Returns the patch that releases the Service. */
export function removeFinalizer(service: Service): FinalizerPatch {
  const patch = ofThis(service, { "$deleteFromPrimitiveList/finalizers": [cleanupFinalizer] })
  const reason = "nothing has to be cleaned up after it any more"
  return { do: "patch", finalizer: "remove", object: service, patch, subresource, type: "strategic", reason, tolerate: ["NotFound"] }
}

/** Annotations that the cloud adds to a Service. */
export type BalancerAnnotations = Readonly<Record<string, string>> | undefined

/** Returns the patch of the annotations that the cloud adds. */
export function annotationPatch(service: Service, annotations: BalancerAnnotations): KubeOperation {
  const patch = ofThis(service, { annotations })
  return {
    do: "patch",
    object: service,
    patch,
    subresource,
    type: "merge",
    reason: "this is what the cloud calls it",
    tolerate: ["NotFound"],
  }
}

/** Returns the patch of `status.loadBalancer`; a status without ingress clears it. */
export function statusPatch(service: Service, status: LoadBalancerStatus): KubeOperation {
  const patch = { ...ofThis(service), status: { loadBalancer: { ingress: status.ingress ?? null } } }
  const reason = status.ingress === undefined ? "its load balancer is gone" : "this is where its load balancer is"
  return { do: "patch", object: service, patch, subresource, reason, tolerate: ["NotFound"] }
}

/** The UID makes sure that it is not another Service of the same name. */
function ofThis({ metadata }: Service, changes: Readonly<Record<string, unknown>> = {}) {
  return { metadata: { uid: metadata.uid, ...changes } }
}
