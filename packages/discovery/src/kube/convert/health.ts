import type { EndpointHealth } from "../../model/endpoint.ts"
import type { Service } from "../../model/service.ts"
import type { SourceEndpoint } from "./source.ts"

/** Sessions that are bound to an endpoint may finish there while it is going. */
const sessionLabels = ["istio.io/persistent-session", "istio.io/persistent-session-header"] as const

export function keepsSessions({ labels }: Pick<Service, "labels">): boolean {
  return sessionLabels.some((label) => labels[label] !== undefined && labels[label] !== "")
}

/** "terminating" is not sent. */
export function healthOf(endpoint: SourceEndpoint, service: Service): EndpointHealth | "terminating" {
  if (endpoint.ready) return "healthy"
  if (endpoint.terminating) return endpoint.serving && keepsSessions(service) ? "draining" : "terminating"
  return service.publishNotReady ? "healthy" : "unhealthy"
}
