import type { Service } from "./service.ts"

/**
 * Clients that prefer near endpoints have to know the unhealthy ones too: what is far is used when too much of what is near is not well.
 * And some services publish what is not ready on purpose.
 */
export function wantsUnhealthy(service: Pick<Service, "distribution" | "publishNotReady">): boolean {
  return service.distribution !== "any" || service.publishNotReady
}
