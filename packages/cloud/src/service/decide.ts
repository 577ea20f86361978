import { hasFinalizer } from "@pilothouse/api"
import type { LoadBalancerStatus, Service } from "@pilothouse/api/core/v1"
import { type Operation, type Plan, plan } from "@pilothouse/runtime"
import { deleteBalancer, ensureBalancer, rememberService, updateBalancer } from "./balancer-operation.ts"
import { isSameStatus } from "./balancer-status.ts"
import { needsUpdate } from "./needs-update.ts"
import { areSameNodes } from "./node-set.ts"
import type { Observed } from "./observe.ts"
import { cleanupFinalizer, isDeleted, needsCleanup, wantsLoadBalancer } from "./wanted.ts"

/**
 * One move at a time. A balancer is made in two looks: the first tells people, remembers the Service and puts the finalizer on; the second calls
 * the cloud. It goes in two looks as well. So everybody can see what a cloud that takes minutes is busy with.
 */
export function decide(observed: Observed): Plan {
  const { service, remembered } = observed
  if (remembered !== undefined && remembered.service.metadata.uid !== service?.metadata.uid) {
    const why = service === undefined ? "its Service is gone" : "another Service has taken the name of its own"
    return remove(remembered.service, why, remembered.task === "delete", true)
  }
  if (service === undefined) return plan().nothing("the Service is gone, and had no load balancer")
  if (!wantsLoadBalancer(service) || isDeleted(service)) return letGo(service, observed)
  return keep(service, observed)
}

function letGo(service: Service, { remembered, exists }: Observed): Plan {
  if (!needsCleanup(service) && remembered === undefined) return plan().nothing("it wants no load balancer, and has none")
  const why = isDeleted(service) ? "its Service is deleted" : "its Service no longer wants one"
  return remove(service, why, remembered?.task === "delete", exists !== false)
}

function remove(service: Service, why: string, isTold: boolean, tell: boolean): Plan {
  if (isTold) return plan().operation(deleteBalancer(service, why))
  const told = plan().operation(rememberService(service, "delete", `${why}; its load balancer is deleted next`))
  return tell ? told.event(service, "Normal", "DeletingLoadBalancer", "Deleting load balancer") : told
}

function keep(service: Service, { remembered, nodes }: Observed): Plan {
  const ensured = remembered?.task === "ensure" ? remembered.ensured : undefined
  if (ensured !== undefined && hasFinalizer(service, cleanupFinalizer) && !needsUpdate(ensured.service, service)) {
    if (!areSameNodes(ensured.nodes, nodes)) return plan().operation(updateBalancer(service, nodes, "the set of nodes has changed"))
    if (ensured.status === undefined) return plan().nothing("another controller makes its load balancer")
    if (isSameStatus(ensured.status, service.status?.loadBalancer)) return plan().nothing("its load balancer is as it should be")
    return plan().operation(statusPatch(service, ensured.status)).event(service, "Normal", "EnsuredLoadBalancer", "Ensured load balancer")
  }
  if (isAnnounced(service, remembered)) return plan().operation(ensureBalancer(service, nodes, "the Service wants a load balancer"))
  if (remembered === undefined && looksFinished(service))
    return plan().operation(
      ensureBalancer(service, nodes, "this process has just begun, and its load balancer may not be what it should be"),
    )
  return announce(service)
}

function isAnnounced(service: Service, remembered: Observed["remembered"]): boolean {
  return remembered?.task === "ensure" && hasFinalizer(service, cleanupFinalizer) && !needsUpdate(remembered.service, service)
}

/** An earlier process has made the balancer: nobody is told of it again unless something has to be mended. */
function looksFinished(service: Service): boolean {
  return hasFinalizer(service, cleanupFinalizer) && (service.status?.loadBalancer?.ingress ?? []).length > 0
}

function announce(service: Service): Plan {
  const told = plan().operation(rememberService(service, "ensure", "its load balancer must be found when the Service is gone"))
  if (!hasFinalizer(service, cleanupFinalizer)) told.operation(finalizerPatch(service, { finalizers: [cleanupFinalizer] }, addsFinalizer))
  return told.event(service, "Normal", "EnsuringLoadBalancer", "Ensuring load balancer")
}

export const addsFinalizer = "the Service must not go before its load balancer has"
export const removesFinalizer = "its load balancer is gone"

/** The UID makes sure that it is not another Service of the same name. */
export function finalizerPatch(service: Service, metadata: Readonly<Record<string, unknown>>, because: string): Operation {
  const patch = { metadata: { uid: service.metadata.uid, ...metadata } }
  return {
    do: "patch",
    object: service,
    patch,
    type: "strategic",
    because,
    fineIf: because === removesFinalizer ? ["NotFound"] : undefined,
  }
}

export type BalancerAnnotations = Readonly<Record<string, string>> | undefined

/** What the cloud calls its balancer. */
export function annotationPatch(service: Service, annotations: BalancerAnnotations): Operation {
  const patch = { metadata: { uid: service.metadata.uid, annotations } }
  return { do: "patch", object: service, patch, type: "merge", because: "this is what the cloud calls it", fineIf: ["NotFound"] }
}

export function statusPatch(service: Service, status: LoadBalancerStatus): Operation {
  const patch = { metadata: { uid: service.metadata.uid }, status: { loadBalancer: { ingress: status.ingress ?? null } } }
  const because = status.ingress === undefined ? "its load balancer is gone" : "this is where its load balancer is"
  return { do: "patch", object: service, patch, subresource: "status", because, fineIf: ["NotFound"] }
}
