import type { LoadBalancerStatus, Service } from "@pilothouse/api/core/v1"
import type { Ensured, Notice } from "@pilothouse/cloud"
import { prefix } from "./annotation-prefix.ts"
import type { ServiceOptions } from "./service-options.ts"

/** What is told of a balancer that is as it should be. Its id and address are written on the Service, for people and for other programs. */
export function ensureResult(
  service: Service,
  options: ServiceOptions,
  { id, address, changed }: { readonly id: string; readonly address: string; readonly changed: boolean },
): Ensured {
  return {
    status: toStatus(options, address),
    changed,
    annotations: { [`${prefix}load-balancer-id`]: id, [`${prefix}load-balancer-address`]: address },
    notices: noticesOn(service, options),
  }
}

/** With PROXY pods must not answer directly: they would miss the header. */
export function toStatus({ hostname, proxy, proxyHostnames }: ServiceOptions, ip: string): LoadBalancerStatus {
  if (hostname !== undefined) return { ingress: [{ hostname }] }
  if (proxy !== undefined && proxyHostnames !== undefined) return { ingress: [{ hostname: `${ip}.${proxyHostnames}` }] }
  return { ingress: [{ ip, ipMode: proxy === undefined ? "VIP" : "Proxy" }] }
}

/** Nodes without a pod drop what they get, and only a health monitor keeps it from them. */
function noticesOn({ spec }: Service, { monitor }: ServiceOptions): readonly Notice[] {
  if (spec?.externalTrafficPolicy !== "Local" || monitor !== undefined) return []
  const message = `externalTrafficPolicy is Local and there is no health monitor: connections to nodes without a pod are lost; set the annotation ${prefix}enable-health-monitor, or create-monitor in cloud.conf`
  return [{ type: "Warning", reason: "HealthMonitorMissing", message }]
}
