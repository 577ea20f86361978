import { type SampleObject, sample } from "./object.ts"

const ports = [
  { name: "http", port: 80, targetPort: "http" },
  { name: "https", port: 443, targetPort: 8443 },
]

export const services: readonly SampleObject[] = [
  sample("v1", "Service", "small", { spec: { ports: [{ port: 80 }] } }),
  sample("v1", "Service", "rich", {
    spec: { type: "LoadBalancer", selector: { app: "web" }, ports, sessionAffinity: "ClientIP", loadBalancerSourceRanges: ["10.0.0.0/8"] },
  }),
  sample("v1", "Service", "headless", {
    spec: { clusterIP: "None", selector: { app: "web", tier: "front" }, ports: [...ports, { name: "dns", port: 53, protocol: "UDP" }] },
  }),
  sample("v1", "Service", "external", { spec: { type: "ExternalName", externalName: "db.test" } }),
  sample("v1", "Endpoints", "small", {
    subsets: [{ addresses: [{ ip: "10.2.0.1" }], notReadyAddresses: [{ ip: "10.2.0.2", nodeName: "n1" }], ports: [{ port: 80 }] }],
  }),
  sample("discovery.k8s.io/v1", "EndpointSlice", "small", {
    addressType: "IPv4",
    endpoints: [
      { addresses: ["10.2.0.1"], conditions: { ready: true }, hints: { forZones: [{ name: "a" }] } },
      { addresses: ["10.2.0.2"], zone: "b" },
    ],
    ports: [{ port: 80 }, { name: "dns", port: 53, protocol: "UDP" }],
  }),
  sample("networking.k8s.io/v1", "Ingress", "rich", {
    spec: {
      defaultBackend: { service: { name: "small", port: { number: 80 } } },
      tls: [{ hosts: ["a.test"], secretName: "cert" }],
      rules: [
        {
          host: "a.test",
          http: { paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "rich", port: { name: "http" } } } }] },
        },
      ],
    },
  }),
  sample("networking.k8s.io/v1", "IngressClass", "small", {
    spec: { controller: "test/ingress", parameters: { kind: "ConfigMap", name: "a" } },
  }),
  sample("networking.k8s.io/v1", "NetworkPolicy", "small", { spec: { podSelector: {} } }),
  sample("networking.k8s.io/v1", "NetworkPolicy", "rich", {
    spec: {
      podSelector: { matchLabels: { app: "web" } },
      ingress: [
        {
          from: [{ podSelector: {} }, { ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } }],
          ports: [{ port: 80 }, { port: "dns", protocol: "UDP" }],
        },
      ],
      egress: [{ ports: [{ port: 1000, endPort: 2000 }] }],
      policyTypes: ["Ingress", "Egress"],
    },
  }),
  sample("networking.k8s.io/v1", "IPAddress", "10.0.200.200", {
    spec: { parentRef: { group: "", resource: "services", namespace: "judged", name: "small" } },
  }),
  // Of the other family: from two ranges of one, addresses would be taken in any order.
  sample("networking.k8s.io/v1", "ServiceCIDR", "more", { spec: { cidrs: ["fd00:20::/112"] } }),
]
