import { amountOf } from "../amount.ts"
import type { Service } from "../generated/core/v1.types.ts"
import type { Resources } from "../resource-list.ts"

/** A service, its node ports and its load balancer. */
export function serviceUsage(service: Service): Resources {
  return new Map([
    ["services", amountOf(1)],
    ["services.nodeports", amountOf(nodePorts(service))],
    ["services.loadbalancers", amountOf(service.spec?.type === "LoadBalancer" ? 1 : 0)],
  ])
}

/** By what is meant: when a service is let in, its ports are not given out yet. */
function nodePorts({ spec }: Service): number {
  const ports = spec?.ports ?? []
  if (spec?.type === "NodePort") return ports.length
  if (spec?.type !== "LoadBalancer") return 0
  // A balancer that does without node ports uses those that it asked for.
  const asked = ports.filter(({ nodePort = 0 }) => nodePort !== 0)
  return spec.allocateLoadBalancerNodePorts === false ? asked.length : ports.length
}
