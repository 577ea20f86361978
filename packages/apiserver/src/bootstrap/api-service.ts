import type { Endpoints, Service } from "@pilothouse/api/core/v1"
import type { EndpointSlice } from "@pilothouse/api/discovery/v1"
import type { Advertised } from "./wanted.ts"

/** Where the Service of the API and its endpoints are. */
export const apiServiceName = { namespace: "default", name: "kubernetes" } as const
const { name, namespace } = apiServiceName

/**
 * Returns the Service by which pods find the API: the first address of the service range. It selects nothing, so no controller touches its endpoints.
 */
export function apiService(address: string, { port }: Advertised): Service {
  return {
    kind: "Service",
    apiVersion: "v1",
    metadata: { name, namespace, labels: { component: "apiserver", provider: "kubernetes" } },
    spec: {
      ports: [{ name: "https", protocol: "TCP", port: 443, targetPort: port }],
      clusterIP: address,
      clusterIPs: [address],
      type: "ClusterIP",
      sessionAffinity: "None",
      ipFamilies: ["IPv4"],
      ipFamilyPolicy: "SingleStack",
      internalTrafficPolicy: "Cluster",
    },
    status: { loadBalancer: {} },
  }
}

/** The server writes the slice itself, so the mirroring controller has to leave these alone. */
export function apiEndpoints({ address, port }: Advertised): Endpoints {
  return {
    kind: "Endpoints",
    apiVersion: "v1",
    metadata: { name, namespace, labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
    subsets: [{ addresses: [{ ip: address }], ports: [{ name: "https", port, protocol: "TCP" }] }],
  }
}

/** Returns the slice of the Service "kubernetes": the one address that this server advertises. */
export function apiEndpointSlice({ address, port }: Advertised): EndpointSlice {
  return {
    kind: "EndpointSlice",
    apiVersion: "discovery.k8s.io/v1",
    metadata: { name, namespace, generation: 1, labels: { "kubernetes.io/service-name": name } },
    addressType: address.includes(":") ? "IPv6" : "IPv4",
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports: [{ name: "https", port, protocol: "TCP" }],
  }
}
