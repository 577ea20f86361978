import type { Endpoint } from "../model/endpoint.ts"
import type { Service } from "../model/service.ts"

/** Returns a service of the model. */
export function testService(name: string, rest: Partial<Service> = {}): Service {
  const namespace = rest.namespace ?? "shop"
  return {
    hostname: `${name}.${namespace}.svc.cluster.local`,
    name,
    namespace,
    addresses: {},
    ports: [{ name: "http", port: 8080, protocol: "HTTP" }],
    resolution: "client-side",
    labels: {},
    selector: { app: name },
    exportTo: ["*"],
    accounts: [],
    publishNotReady: false,
    nodeLocal: false,
    distribution: "any",
    created: 0,
    ...rest,
  }
}

/** Returns an endpoint of the model. */
export function testEndpoint(address: string, port: number, rest: Partial<Endpoint> = {}): Endpoint {
  return {
    addresses: [address],
    port,
    portName: "http",
    health: "healthy",
    locality: { region: "r1", zone: "z1", subzone: "" },
    network: "",
    cluster: "test",
    weight: 1,
    labels: { app: "web" },
    identity: "spiffe://cluster.local/ns/shop/sa/web",
    namespace: "shop",
    pod: `web-${address}-${port}`,
    workload: "web",
    ...rest,
  }
}
