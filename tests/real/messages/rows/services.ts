import { at, patch, post, type Row } from "../row.ts"

const port = { port: 80 }
const service = (name: string, spec: object, annotations?: Readonly<Record<string, string>>): Row =>
  post(name, at("services"), { metadata: { name: "bad", annotations }, spec: { ports: [port], ...spec } })
const balanced = (name: string, spec: object, annotations?: Readonly<Record<string, string>>): Row =>
  service(name, { type: "LoadBalancer", ...spec }, annotations)
const change = (name: string, of: string, body: object): Row => patch(name, at("services", of), "merge", body)
const status = (name: string, of: string, ...ingress: readonly object[]): Row =>
  patch(name, at("services", of, "status"), "merge", { status: { loadBalancer: { ingress } } })
const ranges = "service.beta.kubernetes.io/load-balancer-source-ranges"

const balancers: readonly Row[] = [
  service("source ranges of a ClusterIP", { loadBalancerSourceRanges: ["10.0.0.0/8"] }),
  balanced("a source range with bits after its prefix", { loadBalancerSourceRanges: ["10.0.0.1/8"] }),
  balanced("a source range with a zero in front", { loadBalancerSourceRanges: ["010.0.0.0/8", "10.0.0.0/08"] }),
  balanced("a source range of IPv4 in IPv6", { loadBalancerSourceRanges: ["::ffff:10.0.0.0/104"] }),
  balanced("a source range of IPv6 with bits after its prefix", { loadBalancerSourceRanges: ["2001:db8::1/64", "2001:db8::/129"] }),
  service("an annotated source range of a ClusterIP", {}, { [ranges]: "10.0.0.0/8" }),
  balanced("annotated source ranges that are none", {}, { [ranges]: "10.0.0.0/8, here,10.0.0.1/8" }),
  balanced("two kinds of source ranges, of which the field counts", { loadBalancerSourceRanges: ["here"] }, { [ranges]: "there" }),
  service("node ports to allocate of a ClusterIP", { allocateLoadBalancerNodePorts: true }),
  service("a class of a ClusterIP", { loadBalancerClass: "example.com/a" }),
  balanced("a class that is none", { loadBalancerClass: "-" }),
  balanced("a health check port without Local", { healthCheckNodePort: 30999 }),
  balanced("a health check port too high", { externalTrafficPolicy: "Local", healthCheckNodePort: 70000 }),
  post("a balancer to work with", at("services"), {
    metadata: { name: "balanced", annotations: { [ranges]: " 10.0.0.0/8 , 192.0.2.0/24 " } },
    spec: { type: "LoadBalancer", loadBalancerClass: "example.com/a", allocateLoadBalancerNodePorts: false, ports: [port] },
  }),
  change("another class", "balanced", { spec: { loadBalancerClass: "example.com/b" } }),
  change("no class any more", "balanced", { spec: { loadBalancerClass: null } }),
  change("annotated source ranges that become none", "balanced", { metadata: { annotations: { [ranges]: "here" } } }),
  change("a source range with spaces and one that is none", "balanced", { spec: { loadBalancerSourceRanges: [" 10.0.0.0/8 ", "here"] } }),
  status("an address that is none", "balanced", { ip: "here" }),
  status("an unknown mode", "balanced", { ip: "192.0.2.1", ipMode: "Magic" }),
  status("a mode without an address", "balanced", { hostname: "a.example", ipMode: "VIP" }),
  status("a hostname that is an address", "balanced", { hostname: "192.0.2.1" }),
  status("a hostname that is none", "balanced", { hostname: "A_B" }),
  status("an address and a name", "balanced", { ip: "192.0.2.1" }, { hostname: "a.example" }),
]

const addresses: readonly Row[] = [
  service("external addresses that mean something else", {
    externalIPs: ["127.0.0.1", "169.254.1.1", "224.0.0.1", "0.0.0.0", "::1", "::", "fe80::1", "ff02::1"],
  }),
  service("external addresses that are written badly", { externalIPs: ["010.0.0.1", "::ffff:192.0.2.1"] }),
  service("a family twice", { ipFamilies: ["IPv4", "IPv4"] }),
  service("an unknown family policy", { ipFamilyPolicy: "Magic" }),
  service("another first address", { clusterIP: "10.0.0.77", clusterIPs: ["10.0.0.78"] }),
  service("three addresses", { clusterIPs: ["10.0.0.77", "2001:db8::1", "10.0.0.78"], clusterIP: "10.0.0.77" }),
  service("none and one more", { clusterIPs: ["None", "10.0.0.77"], clusterIP: "None" }),
  service("two addresses of a family", { clusterIPs: ["10.0.0.77", "10.0.0.78"], clusterIP: "10.0.0.77" }),
  service("an address of another family", { clusterIP: "10.0.0.77", ipFamilies: ["IPv6"] }),
  post("families of an external name", at("services"), {
    metadata: { name: "bad" },
    spec: { type: "ExternalName", externalName: "a.example", ipFamilies: ["IPv4"], ipFamilyPolicy: "SingleStack" },
  }),
]

const two = (other: object) => [
  { name: "a", port: 80, nodePort: 30555 },
  { name: "b", port: 81, nodePort: 30555, ...other },
]

const traffic: readonly Row[] = [
  service("a protocol of applications that is none", { ports: [{ ...port, appProtocol: "-" }] }),
  service("a node port twice", { type: "NodePort", ports: two({}) }),
  service("a node port twice, of two protocols", { type: "NodePort", ports: two({ protocol: "UDP" }) }),
  service("a node port twice, of one port", { type: "NodePort", ports: two({ port: 80 }) }),
  service("a node port twice of a ClusterIP", { ports: two({}) }),
  service("a node port out of the range of a ClusterIP", { ports: [{ ...port, nodePort: 80 }] }),
  ...[0, -1, 86401].map((timeoutSeconds) =>
    service(`affinity for ${timeoutSeconds} seconds`, {
      sessionAffinity: "ClientIP",
      sessionAffinityConfig: { clientIP: { timeoutSeconds } },
    }),
  ),
  service("settings of an affinity that is none", { sessionAffinityConfig: { clientIP: { timeoutSeconds: 10 } } }),
  service("an unknown internal policy", { internalTrafficPolicy: "Far" }),
  service("an unknown distribution", { trafficDistribution: "Far" }),
  service("a traffic policy of an external name", { type: "ExternalName", externalName: "a.example", externalTrafficPolicy: "Local" }),
  service("two words for hints", {}, { "service.kubernetes.io/topology-aware-hints": "a", "service.kubernetes.io/topology-mode": "b" }),
  post("a Service that is reached from outside", at("services"), {
    metadata: { name: "outside" },
    spec: { externalIPs: ["192.0.2.1"], ports: [port] },
  }),
  change("no way from outside any more", "outside", { spec: { externalIPs: null } }),
  change("a traffic policy without a way from outside", "outside", { spec: { externalTrafficPolicy: "Local" } }),
  change("a request for node ports of another type", "outside", { spec: { type: "NodePort", allocateLoadBalancerNodePorts: false } }),
  post("a Service of one machine", at("services"), { metadata: { name: "plain" }, spec: { ports: [port] } }),
  change("no address any more, by the older field", "plain", { spec: { clusterIP: "None" } }),
  change("another address, by the older field", "plain", { spec: { clusterIP: "10.0.0.99" } }),
  status("an address of a ClusterIP", "plain", { ip: "192.0.2.1", ipMode: "VIP" }),
]

export const services: readonly Row[] = [...balancers, ...addresses, ...traffic]
