import type { Node, Service } from "@pilothouse/api/core/v1"

type Ports = NonNullable<NonNullable<Service["spec"]>["ports"]>

/** Returns a Service with one TCP port and `more`. */
export function contractService(more: Ports = [], uid = "1a6f2c33-0000-4000-8000-000000000001"): Service {
  const ports: Ports = [{ name: "web", port: 18_080, protocol: "TCP", targetPort: 80, nodePort: 30_080 }, ...more]
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "web", namespace: "default", uid },
    spec: { type: "LoadBalancer", clusterIP: "10.96.0.7", selector: { app: "web" }, ports },
  }
}

/** Returns a node with a provider ID. */
export function contractNode(name: string): Node {
  return { apiVersion: "v1", kind: "Node", metadata: { name }, spec: { providerID: `contract:///${name}` } }
}
