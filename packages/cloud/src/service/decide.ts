import { hasFinalizer } from "@pilothouse/api"
import type { Service } from "@pilothouse/api/core/v1"
import { type Operation, type Plan, plan } from "@pilothouse/runtime"
import { isSameStatus } from "./balancer-status.ts"
import { needsUpdate } from "./needs-update.ts"
import { areSameNodes } from "./node-set.ts"
import type { Observed } from "./observe.ts"
import { deleteBalancer, ensureBalancer, rememberNoBalancer, rememberService, updateBalancer } from "./operations.ts"
import { addFinalizer, removeFinalizer, statusPatch } from "./service-patches.ts"
import { cleanupFinalizer, isDeleted, needsCleanup, wantsLoadBalancer } from "./wants-load-balancer.ts"

/**
 * Upstream's syncLoadBalancerIfNeeded, one step at a time. A balancer is created in two reconciles: the first records the event, caches the Service and adds the finalizer; the
 * second calls the cloud. It is deleted in two reconciles as well. So the events show what a cloud that takes minutes is busy with.
 */
export function decide(observed: Observed): Plan {
  const { service, cached } = observed
  if (cached !== undefined && cached.service.metadata.uid !== service?.metadata.uid) {
    const why = service === undefined ? "its Service is gone" : "another Service has taken the name of its own"
    return cached.task === "delete" ? remove(cached.service, why, []) : announceRemoval(cached.service, why)
  }
  if (service === undefined) return plan().nothing("the Service is gone, and had no load balancer")
  if (!wantsLoadBalancer(service) || isDeleted(service)) return release(service, observed)
  return keep(service, observed)
}

function release(service: Service, { cached, exists }: Observed): Plan {
  if (!needsCleanup(service) && cached === undefined) return plan().nothing("it requests no load balancer, and has none")
  const why = isDeleted(service) ? "its Service is deleted" : "its Service no longer requests one"
  if (cached?.task === "delete") return remove(service, why, releaseWrites(service))
  // The clean-up of a balancer that the cloud does not have records no event.
  return announceRemoval(service, why, { withEvent: exists !== false })
}

function announceRemoval(service: Service, why: string, { withEvent = true } = {}): Plan {
  const built = plan().operation(rememberService(service, "delete", `${why}; its load balancer is deleted next`))
  return withEvent ? built.event(service, "Normal", "DeletingLoadBalancer", "Deleting load balancer") : built
}

/** The cache entry is removed last: without it, a Service that keeps its finalizer would look as if its deletion had just begun, after every retry. */
function remove(service: Service, why: string, writes: readonly Operation[]): Plan {
  const built = plan().operation(deleteBalancer(service, why))
  for (const write of writes) built.nextStep().operation(write)
  return built
    .nextStep()
    .operation(rememberNoBalancer(service, "its load balancer is gone"))
    .event(service, "Normal", "DeletedLoadBalancer", "Deleted load balancer")
}

/** The status first: once the finalizer is removed, nothing would reconcile it. */
function releaseWrites(service: Service): readonly Operation[] {
  const status = isSameStatus({}, service.status?.loadBalancer) ? [] : [statusPatch(service, {})]
  return hasFinalizer(service, cleanupFinalizer) ? [...status, removeFinalizer(service)] : status
}

function keep(service: Service, { cached, nodes }: Observed): Plan {
  const ensured = cached?.task === "ensure" ? cached.ensured : undefined
  if (ensured !== undefined && hasFinalizer(service, cleanupFinalizer) && !needsUpdate(ensured.service, service)) {
    if (!areSameNodes(ensured.nodes, nodes)) return plan().operation(updateBalancer(service, nodes, "the set of nodes has changed"))
    if (ensured.status === undefined) return plan().nothing("another controller makes its load balancer")
    if (isSameStatus(ensured.status, service.status?.loadBalancer)) return plan().nothing("its load balancer matches")
    return plan().operation(statusPatch(service, ensured.status)).event(service, "Normal", "EnsuredLoadBalancer", "Ensured load balancer")
  }
  if (isAnnounced(service, cached)) return plan().operation(ensureBalancer(service, nodes, "the Service requests a load balancer"))
  if (cached === undefined && looksFinished(service))
    return plan().operation(
      ensureBalancer(service, nodes, "this process has just begun, and its load balancer may not be what it should be"),
    )
  return announce(service)
}

function isAnnounced(service: Service, cached: Observed["cached"]): boolean {
  return cached?.task === "ensure" && hasFinalizer(service, cleanupFinalizer) && !needsUpdate(cached.service, service)
}

/** An earlier process created the balancer: no event is recorded again unless something has to be repaired. */
function looksFinished(service: Service): boolean {
  return hasFinalizer(service, cleanupFinalizer) && (service.status?.loadBalancer?.ingress ?? []).length > 0
}

function announce(service: Service): Plan {
  const built = plan().operation(rememberService(service, "ensure", "its load balancer must be found when the Service is gone"))
  if (!hasFinalizer(service, cleanupFinalizer)) built.operation(addFinalizer(service))
  return built.event(service, "Normal", "EnsuringLoadBalancer", "Ensuring load balancer")
}
