import { hasFinalizer } from "@pilothouse/api"
import type { Service } from "@pilothouse/api/core/v1"

/** Keeps a Service until its balancer is deleted. */
export const cleanupFinalizer = "service.kubernetes.io/load-balancer-cleanup"

/** Reports whether this controller implements the Service's balancer: one with a class belongs to another controller. Named as upstream's. */
export function wantsLoadBalancer({ spec }: Service): boolean {
  return spec?.type === "LoadBalancer" && spec.loadBalancerClass === undefined
}

/** Reports whether the Service has a balancer that must be deleted. */
export function needsCleanup(service: Service): boolean {
  return hasFinalizer(service, cleanupFinalizer) && (isDeleted(service) || service.spec?.type !== "LoadBalancer")
}

/** Reports whether the Service is being deleted. */
export function isDeleted({ metadata }: Service): boolean {
  return metadata.deletionTimestamp !== undefined
}
