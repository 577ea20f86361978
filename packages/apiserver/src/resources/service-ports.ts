import type { ServiceSpec } from "@pilothouse/api/core/v1"

export function needsNodePort(spec: Pick<ServiceSpec, "type" | "allocateLoadBalancerNodePorts">): boolean {
  return spec.type === "NodePort" || (spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts !== false)
}

export function needsHealthCheck(spec: Pick<ServiceSpec, "type" | "externalTrafficPolicy">): boolean {
  return spec.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local"
}
