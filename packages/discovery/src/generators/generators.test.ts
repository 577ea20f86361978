import { memoryMetrics, VirtualClock } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import type { Endpoint } from "../model/endpoint.ts"
import type { Service } from "../model/service.ts"
import { Hub } from "../push/hub.ts"
import { StaticRegistry } from "../registry/static-registry.ts"
import { decoded } from "../server/debug.ts"
import { testEndpoint, testService } from "../testing/samples.ts"
import { silentPeer } from "../testing/silent-peer.ts"
import type { Kind } from "../xds/kinds.ts"
import { clientOf, type NodeMessage } from "./client.ts"

const host = "web.shop.svc.cluster.local"
const cluster = `outbound|8080||${host}`

/** One resource as a client with this node gets it. */
function rendered(
  kind: Kind,
  name: string,
  setting: { service?: Partial<Service>; endpoints?: readonly Endpoint[]; node?: NodeMessage } = {},
) {
  const registry = new StaticRegistry()
  registry.put(testService("web", setting.service))
  registry.putEndpoints(host, setting.endpoints ?? [testEndpoint("10.0.0.1", 80)])
  const hub = new Hub({ registry, clock: new VirtualClock(), metrics: memoryMetrics() })
  expect(hub.ready).toBe(true)
  const session = hub.open(clientOf({ id: "n", ...setting.node }), "sotw", silentPeer)
  return decoded(hub.offerTo(session, kind).find(name)) as Record<string, never> | undefined
}

function metadata(values: Record<string, string>): NodeMessage {
  return { metadata: { fields: Object.fromEntries(Object.entries(values).map(([name, stringValue]) => [name, { stringValue }])) } }
}

const grpc = metadata({ GENERATOR: "grpc", NAMESPACE: "shop" })

describe("who a client is", () => {
  test.each([
    ["metadata", metadata({ GENERATOR: "grpc" }), "grpc"],
    ["its agent", { userAgentName: "gRPC Node.js" }, "grpc"],
    ["its agent", { userAgentName: "envoy" }, "envoy"],
    ["nothing", {}, "envoy"],
    ["metadata before its agent", { ...metadata({ GENERATOR: "envoy" }), userAgentName: "gRPC C-core" }, "envoy"],
  ] as const)("by %s", (_by, node, generator) => {
    expect(clientOf({ id: "n", ...(node as NodeMessage) }).generator).toBe(generator)
  })
  test("its namespace stands in its id where its metadata has none", () => {
    expect(clientOf({ id: "sidecar~10.0.0.1~web-1.shop~shop.svc.cluster.local" }).namespace).toBe("shop")
    expect(clientOf({ id: "anything" }).namespace).toBe("default")
  })
})

describe("Envoy's clusters", () => {
  test("a service's port is found by EDS over the same stream", () => {
    expect(rendered("cluster", cluster)).toMatchObject({
      name: cluster,
      type: "EDS",
      edsClusterConfig: { serviceName: cluster, edsConfig: { ads: {}, resourceApiVersion: "V3" } },
      lbPolicy: "LEAST_REQUEST",
      commonLbConfig: { healthyPanicThreshold: { value: 0 } },
    })
  })
  test("gRPC ports speak HTTP/2", () => {
    const ports = [{ name: "grpc", port: 8080, protocol: "GRPC" as const }]
    expect(JSON.stringify(rendered("cluster", cluster, { service: { ports } }))).toContain("http2ProtocolOptions")
  })
  test("ExternalName is resolved by DNS", () => {
    expect(rendered("cluster", cluster, { service: { resolution: "dns", externalName: "example.com" } })).toMatchObject({
      type: "STRICT_DNS",
      respectDnsTtl: true,
      loadAssignment: {
        endpoints: [{ lbEndpoints: [{ endpoint: { address: { socketAddress: { address: "example.com", portValue: 8080 } } } }] }],
      },
    })
  })
  test("headless goes to the address that was asked for, or by EDS where traffic is not redirected", () => {
    const service = { resolution: "passthrough" as const }
    expect(rendered("cluster", cluster, { service })).toMatchObject({ type: "ORIGINAL_DST", lbPolicy: "CLUSTER_PROVIDED" })
    expect(rendered("cluster", cluster, { service, node: metadata({ INTERCEPTION_MODE: "NONE" }) })).toMatchObject({ type: "EDS" })
  })
  test.each([
    ["every namespace", ["*"], "other", true],
    ["no namespace", ["~"], "shop", false],
    ["its own namespace, from inside", ["."], "shop", true],
    ["its own namespace, from outside", ["."], "other", false],
    ["a named namespace", ["other"], "other", true],
  ])("exported to %s", (_to, exportTo, NAMESPACE, seen) => {
    expect(rendered("cluster", cluster, { service: { exportTo }, node: metadata({ NAMESPACE }) }) !== undefined).toBe(seen)
  })
})

describe("endpoints", () => {
  const assignment = (setting: Parameters<typeof rendered>[2]) =>
    (rendered("endpoint", cluster, setting) as unknown as { endpoints?: readonly Record<string, never>[] }).endpoints ?? []
  const near = testEndpoint("10.0.0.1", 80, { node: "n1" })
  const far = testEndpoint("10.0.0.2", 80, { locality: { region: "r1", zone: "z2", subzone: "" }, node: "n2" })
  const node: NodeMessage = { ...metadata({ NODE_NAME: "n1" }), locality: { region: "r1", zone: "z1" } }

  test("address, health, weight and workload of each, the weight of all as the locality's", () => {
    expect(assignment({ endpoints: [testEndpoint("10.0.0.1", 80, { weight: 3, health: "draining" })] })).toMatchObject([
      {
        locality: { region: "r1", zone: "z1" },
        loadBalancingWeight: { value: 3 },
        lbEndpoints: [
          {
            endpoint: { address: { socketAddress: { address: "10.0.0.1", portValue: 80 } } },
            healthStatus: "DRAINING",
            loadBalancingWeight: { value: 3 },
            metadata: { filterMetadata: { istio: { fields: { workload: { stringValue: "web;shop;web;;test" } } } } },
          },
        ],
      },
    ])
  })
  test.each([
    [{ app: "a" }, "web;shop;a;;test"],
    [{ app: "a", "app.kubernetes.io/name": "n", version: "v1" }, "web;shop;n;v1;test"],
    [{ app: "a", "app.kubernetes.io/version": "v2", version: "v1" }, "web;shop;a;v2;test"],
    [
      { "app.kubernetes.io/name": "n", "service.istio.io/canonical-name": "c", "service.istio.io/canonical-revision": "r" },
      "web;shop;c;r;test",
    ],
    [{}, "web;shop;web;;test"],
  ])("the workload of a pod with the labels %j is %s, which telemetry reads", (labels, workload) => {
    const text = JSON.stringify(assignment({ endpoints: [testEndpoint("10.0.0.1", 80, { labels })] }))
    expect(text).toContain(`"stringValue":"${workload}"`)
  })
  test("localities apart, in the same order whatever the order of endpoints", () => {
    expect(assignment({ endpoints: [near, far] })).toEqual(assignment({ endpoints: [far, near] }))
    expect(assignment({ endpoints: [near, far] })).toHaveLength(2)
  })
  test("a duplicate address is sent once: gRPC would refuse it", () => {
    expect(assignment({ endpoints: [near, testEndpoint("10.0.0.1", 80)] })[0]!.lbEndpoints).toHaveLength(1)
  })
  test("only those behind the port", () => {
    expect(assignment({ endpoints: [testEndpoint("10.0.0.1", 80, { portName: "admin" })] })).toEqual([])
  })
  test("not ready ones are left out, unless they are published on purpose", () => {
    const endpoints = [testEndpoint("10.0.0.1", 80, { health: "unhealthy" })]
    expect(assignment({ endpoints })).toEqual([])
    expect(assignment({ endpoints, service: { publishNotReady: true } })).toHaveLength(1)
  })
  test("and unless clients prefer near ones: they have to know how many of those are not well", () => {
    const endpoints = [testEndpoint("10.0.0.1", 80, { health: "unhealthy" })]
    expect(assignment({ endpoints, service: { distribution: "same-zone" } })).toMatchObject([
      { lbEndpoints: [{ healthStatus: "UNHEALTHY" }] },
    ])
  })
  test("the second address of a pod goes with the first", () => {
    expect(JSON.stringify(assignment({ endpoints: [testEndpoint("10.0.0.1", 80, { addresses: ["10.0.0.1", "fd00::1"] })] }))).toContain(
      "fd00::1",
    )
  })
  test("a node-local service has only those of the client's node", () => {
    expect(assignment({ endpoints: [near, far], service: { nodeLocal: true }, node })).toMatchObject([{ lbEndpoints: [{}] }])
  })
  test.each([
    ["dns", "kube-system", "one", ["10.0.0.1"]],
    ["kubernetes", "default", "two", ["10.0.0.2"]],
    ["kubernetes", "default", "", ["10.0.0.1", "10.0.0.2"]],
    ["kubernetes", "shop", "one", ["10.0.0.1", "10.0.0.2"]],
    ["web", "default", "one", ["10.0.0.1", "10.0.0.2"]],
  ] as const)("of the service %s in %s a client of the cluster '%s' has %j", (name, namespace, CLUSTER_ID, addresses) => {
    const service = { hostname: host, name, namespace }
    const endpoints = [testEndpoint("10.0.0.1", 80, { cluster: "one" }), testEndpoint("10.0.0.2", 80, { cluster: "two" })]
    const text = JSON.stringify(assignment({ endpoints, service, node: metadata({ CLUSTER_ID }) }))
    expect([...text.matchAll(/"address":"([\d.]+)"/g)].map(([, address]) => address)).toEqual(addresses)
  })
  test("the same zone first", () => {
    const groups = assignment({ endpoints: [far, near], service: { distribution: "same-zone" }, node })
    expect(groups.map(({ locality, priority }) => [(locality as unknown as { zone: string }).zone, priority ?? 0])).toEqual([
      ["z1", 0],
      ["z2", 1],
    ])
  })
  test("the same node first, then the same zone, then the rest", () => {
    const at = (last: number, zone: string, on: string) =>
      testEndpoint(`10.0.0.${last}`, 80, { node: on, locality: { region: "r1", zone, subzone: "" } })
    const endpoints = [at(1, "z2", "n3"), at(2, "z1", "n2"), at(3, "z1", "n1")]
    const groups = assignment({ endpoints, service: { distribution: "same-node" }, node })
    const addresses = groups.map((group) => [group.priority ?? 0, ...JSON.stringify(group).matchAll(/10\.0\.0\.\d/g)].map(String))
    expect(addresses).toEqual([
      ["0", "10.0.0.3"],
      ["1", "10.0.0.2"],
      ["2", "10.0.0.1"],
    ])
  })
  test("priorities have no gap where nothing is near", () => {
    const groups = assignment({ endpoints: [far], service: { distribution: "same-node" }, node })
    expect(groups.map(({ priority }) => priority ?? 0)).toEqual([0])
  })
  test("an unknown name has an empty assignment", () => {
    expect(rendered("endpoint", "outbound|1||unknown")).toMatchObject({ clusterName: "outbound|1||unknown" })
  })
})

describe("ports of UDP are sent to no client: xDS as it is served here has none", () => {
  const service = { ports: [{ name: "dns", port: 53, protocol: "UDP" as const }], addresses: { a: ["10.96.0.7"] } }
  const name = `outbound|53||${host}`
  test.each([
    ["cluster", name, {}],
    ["listener", "10.96.0.7_53", {}],
    ["cluster", name, grpc],
    ["listener", `${host}:53`, grpc],
    ["route", name, grpc],
  ] as const)("%s %s", (kind, of, node) => {
    expect(rendered(kind, of, { service, node })).toBeUndefined()
  })
})

test("of a number that is both a port of UDP and one of TCP the endpoints of TCP are sent", () => {
  const ports = [
    { name: "dns", port: 53, protocol: "UDP" },
    { name: "dns-tcp", port: 53, protocol: "TCP" },
  ] as const
  const endpoints = [testEndpoint("10.0.0.1", 1053, { portName: "dns" }), testEndpoint("10.0.0.1", 2053, { portName: "dns-tcp" })]
  const text = JSON.stringify(rendered("endpoint", `outbound|53||${host}`, { service: { ports }, endpoints }))
  expect([...text.matchAll(/"portValue":(\d+)/g)].map(([, port]) => port)).toEqual(["2053"])
})

describe("Envoy's listeners and routes", () => {
  test("HTTP by host, with the router filter and a name for statistics", () => {
    const listener = JSON.stringify(rendered("listener", "0.0.0.0_8080"))
    expect(listener).toContain("envoy.extensions.filters.http.router.v3.Router")
    expect(listener).toContain('"statPrefix":"outbound_0.0.0.0_8080"')
    expect(listener).toContain('"routeConfigName":"8080"')
    expect(listener).toContain('"upgradeConfigs":[{"upgradeType":"websocket"')
  })
  test("a host is known by every way to write it, the shortest only in its own namespace", () => {
    const domains = (NAMESPACE: string) =>
      (
        rendered("route", "8080", { service: { addresses: { a: ["10.96.0.7"] } }, node: metadata({ NAMESPACE }) }) as unknown as {
          virtualHosts: readonly { readonly domains: readonly string[] }[]
        }
      ).virtualHosts[0]!.domains
    expect(domains("shop")).toEqual(
      expect.arrayContaining([host, `${host}:8080`, "web.shop.svc", "web.shop", "web", "web:8080", "10.96.0.7"]),
    )
    expect(domains("other")).not.toContain("web")
  })
  test("a domain stands once: of two services that could have it the first by name does, or Envoy would refuse the route", () => {
    const registry = new StaticRegistry()
    for (const name of ["b", "a"]) registry.put(testService(name, { addresses: { one: ["10.96.0.7"] } }))
    const hub = new Hub({ registry, clock: new VirtualClock(), metrics: memoryMetrics() })
    expect(hub.ready).toBe(true)
    const session = hub.open(clientOf({ id: "n" }), "sotw", silentPeer)
    const { virtualHosts } = decoded(hub.offerTo(session, "route").find("8080")) as {
      virtualHosts: readonly { readonly name: string; readonly domains: readonly string[] }[]
    }
    const domains = virtualHosts.flatMap((one) => one.domains)
    expect(domains).toHaveLength(new Set(domains).size)
    expect(virtualHosts.find((one) => one.domains.includes("10.96.0.7"))?.name).toBe("a.shop.svc.cluster.local:8080")
  })
  test.each(["08080", "8080.0", " 8080", "0x1f90"])("the route %j is none: a port has one spelling, by which changes are sent", (name) => {
    expect(rendered("route", name)).toBeUndefined()
  })
  test("a connection that a pod refuses, because it has just gone, is tried elsewhere", () => {
    expect(rendered("route", "8080")).toMatchObject({
      virtualHosts: [
        {
          routes: [
            { route: { retryPolicy: { retryOn: "connect-failure,refused-stream,reset-before-request", numRetries: { value: 2 } } } },
          ],
        },
        { domains: ["*"] },
      ],
    })
  })
  test.each([
    ["10.96.0.7", "NONE", false],
    ["127.0.0.1", "NONE", false],
    ["127.0.1.7", "NONE", true],
    ["10.96.0.7", "REDIRECT", true],
  ])("a TCP listener at %s with interception %s: %s; one that could not bind would have all of them refused", (address, mode, there) => {
    const service = { ports: [{ name: "db", port: 5432, protocol: "TCP" as const }], addresses: { a: [address] } }
    const registry = new StaticRegistry()
    registry.put(testService("web", service))
    const hub = new Hub({ registry, clock: new VirtualClock(), metrics: memoryMetrics() })
    const session = hub.open(clientOf({ id: "n", ...metadata({ INTERCEPTION_MODE: mode }) }), "sotw", silentPeer)
    const offer = hub.offerTo(session, "listener")
    expect([...offer.names()]).toContain(`${address}_5432`)
    expect(offer.find(`${address}_5432`) !== undefined).toBe(there)
  })
  test("TCP has a listener for each address", () => {
    const service = { ports: [{ name: "db", port: 5432, protocol: "TCP" as const }], addresses: { a: ["10.96.0.7"] } }
    const registry = new StaticRegistry()
    registry.put(testService("web", service))
    const hub = new Hub({ registry, clock: new VirtualClock(), metrics: memoryMetrics() })
    const session = hub.open(clientOf({ id: "n" }), "sotw", silentPeer)
    const offer = hub.offerTo(session, "listener")
    expect([...offer.names()]).toEqual(["virtualOutbound", "10.96.0.7_5432"])
    expect(JSON.stringify(decoded(offer.find("10.96.0.7_5432")))).toContain(`"cluster":"outbound|5432||${host}"`)
  })
  test("where traffic is not redirected, listeners bind to loopback only, and not to ports that need privileges", () => {
    const node = metadata({ INTERCEPTION_MODE: "NONE", UNPRIVILEGED_POD: "true" })
    expect(rendered("listener", "0.0.0.0_8080", { node })).toMatchObject({
      address: { socketAddress: { address: "127.0.0.1" } },
      bindToPort: { value: true },
    })
    const service = { ports: [{ name: "http", port: 80, protocol: "HTTP" as const }] }
    expect(rendered("listener", "0.0.0.0_80", { node, service })).toBeUndefined()
  })
})

describe("gRPC without a proxy", () => {
  test.each([`${host}:8080`, "web.shop.svc:8080", "web.shop:8080", "web:8080", host, "web"])("the listener %s", (name) => {
    const listener = JSON.stringify(rendered("listener", name, { node: grpc }))
    expect(listener).toContain(`"name":"${name}"`)
    expect(listener).toContain(`"routeConfigName":"${cluster}"`)
    expect(listener).toContain("envoy.extensions.filters.http.router.v3.Router")
  })
  test.each(["web:9090", "other:8080", "web.other:8080", "web:08080", "web:"])("no listener %s", (name) => {
    expect(rendered("listener", name, { node: grpc })).toBeUndefined()
  })
  test("a name without a port is no listener where the service has several", () => {
    const service = { ports: [8080, 9090].map((port) => ({ name: `grpc-${port}`, port, protocol: "GRPC" as const })) }
    expect(rendered("listener", "web", { node: grpc, service })).toBeUndefined()
    expect(rendered("listener", "web:9090", { node: grpc, service })).toBeDefined()
  })
  test("a listener outlives its service with its cluster: one that is back unchanged would stay dead for grpc-js", async () => {
    const registry = new StaticRegistry()
    const clock = new VirtualClock()
    registry.put(testService("web"))
    const hub = new Hub({ registry, clock, metrics: memoryMetrics(), grace: 5_000 })
    expect(hub.ready).toBe(true)
    const session = hub.open(clientOf({ id: "n", ...grpc }), "sotw", silentPeer)
    const isThere = () => hub.offerTo(session, "listener").find(`${host}:8080`) !== undefined
    registry.remove(host)
    await clock.advance("4s")
    expect(isThere()).toBe(true)
    await clock.advance("2s")
    expect(isThere()).toBe(false)
  })
  test("a cluster that every client takes", () => {
    expect(rendered("cluster", cluster, { node: grpc })).toMatchObject({ type: "EDS", edsClusterConfig: { edsConfig: { ads: {} } } })
    expect(JSON.stringify(rendered("cluster", cluster, { node: grpc }))).not.toMatch(/LEAST_REQUEST|PanicThreshold/)
  })
  test("headless by EDS, ExternalName by DNS", () => {
    expect(rendered("cluster", cluster, { node: grpc, service: { resolution: "passthrough" } })).toMatchObject({ type: "EDS" })
    expect(rendered("cluster", cluster, { node: grpc, service: { resolution: "dns", externalName: "e.com" } })).toMatchObject({
      type: "LOGICAL_DNS",
    })
  })
  test("one route for everything", () => {
    expect(rendered("route", cluster, { node: grpc })).toMatchObject({
      name: cluster,
      virtualHosts: [{ domains: ["*"], routes: [{ match: { prefix: "" }, route: { cluster } }] }],
    })
  })
})
