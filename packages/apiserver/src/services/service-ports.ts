import type { ServiceSpec } from "@pilothouse/api/core/v1"

export function mayHaveNodePorts({ type }: Pick<ServiceSpec, "type">): boolean {
  return type === "NodePort" || type === "LoadBalancer"
}

export function needsNodePort(spec: Pick<ServiceSpec, "type" | "allocateLoadBalancerNodePorts">): boolean {
  return spec.type === "NodePort" || (spec.type === "LoadBalancer" && spec.allocateLoadBalancerNodePorts !== false)
}

export function needsHealthCheck(spec: Pick<ServiceSpec, "type" | "externalTrafficPolicy">): boolean {
  return spec.type === "LoadBalancer" && spec.externalTrafficPolicy === "Local"
}

export function isExternallyAccessible(spec: Pick<ServiceSpec, "type" | "externalIPs">): boolean {
  return mayHaveNodePorts(spec) || (spec.type === "ClusterIP" && (spec.externalIPs ?? []).length > 0)
}
