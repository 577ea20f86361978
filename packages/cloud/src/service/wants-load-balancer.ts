import { hasFinalizer } from "@pilothouse/api"
import type { Service } from "@pilothouse/api/core/v1"

/** Holds a Service until its balancer is gone. */
export const cleanupFinalizer = "service.kubernetes.io/load-balancer-cleanup"

/** A Service with a class asks for the balancer of somebody else. */
export function wantsLoadBalancer({ spec }: Service): boolean {
  return spec?.type === "LoadBalancer" && spec.loadBalancerClass === undefined
}

/** Whether a balancer was made for the Service that has to go. */
export function needsCleanup(service: Service): boolean {
  return hasFinalizer(service, cleanupFinalizer) && (isDeleted(service) || service.spec?.type !== "LoadBalancer")
}

export function isDeleted({ metadata }: Service): boolean {
  return metadata.deletionTimestamp !== undefined
}
