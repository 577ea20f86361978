import type { Node, Service } from "@pilothouse/api/core/v1"

export function servicePath(name = ""): string {
  return `/api/v1/namespaces/default/services${name === "" ? "" : `/${name}`}`
}

export function newService(name: string, port: number, more: Partial<NonNullable<Service["spec"]>> = {}): Service {
  const spec = {
    type: "LoadBalancer" as const,
    selector: { app: name },
    ports: [{ port, protocol: "TCP" as const, targetPort: 8080 }],
    ...more,
  }
  return { apiVersion: "v1", kind: "Service", metadata: { name, namespace: "default" }, spec }
}

/** As a kubelet with an external cloud provider registers it. */
export function newNode(name: string, podCIDR: string): Node {
  const taints = [{ key: "node.cloudprovider.kubernetes.io/uninitialized", value: "true", effect: "NoSchedule" as const }]
  return { apiVersion: "v1", kind: "Node", metadata: { name }, spec: { podCIDR, podCIDRs: [podCIDR], taints } }
}
