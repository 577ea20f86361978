import { memoryMetrics, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import type { Endpoint } from "../model/endpoint.ts"
import type { NetworkGateway } from "../model/network-gateway.ts"
import type { Service } from "../model/service.ts"
import { Hub } from "../push/hub.ts"
import { StaticRegistry } from "../registry/static-registry.ts"
import { decoded } from "../server/debug.ts"
import { RawClient } from "../testing/raw-client.ts"
import { testEndpoint, testService } from "../testing/samples.ts"
import { silentPeer } from "../testing/silent-peer.ts"
import { clientOf } from "./client.ts"

const host = "web.shop.svc.cluster.local"
const cluster = `outbound|8080||${host}`
const mutual = { "security.istio.io/tlsMode": "istio" }

interface Setting {
  readonly endpoints: readonly Endpoint[]
  readonly gateways?: readonly NetworkGateway[]
  readonly service?: Partial<Service>
  readonly across?: "mutual-tls" | "all"
}

function setUp({ endpoints, gateways = [], service = {}, across }: Setting) {
  const registry = new StaticRegistry()
  registry.put(testService("web", service))
  registry.putEndpoints(host, endpoints)
  registry.putGateways(gateways)
  const clock = new VirtualClock()
  const hub = new Hub({ registry, clock, metrics: memoryMetrics(), ...(across !== undefined && { acrossNetworks: across }) })
  expect(hub.ready).toBe(true)
  return { hub, registry, clock }
}

function nodeIn(metadata: Readonly<Record<string, string>>) {
  const fields = Object.fromEntries(Object.entries(metadata).map(([name, stringValue]) => [name, { stringValue }]))
  return { id: "n", userAgentName: "envoy", locality: { region: "r1", zone: "z1" }, metadata: { fields } }
}

/** "10.0.0.1:80 weight 1 in z1, first": what a client with this metadata is sent. */
function told(setting: Setting, metadata: Readonly<Record<string, string>>): readonly string[] {
  const { hub } = setUp(setting)
  const session = hub.open(clientOf(nodeIn(metadata)), "sotw", silentPeer)
  return lines(decoded(hub.offerTo(session, "endpoint").find(cluster)))
}

interface Assignment {
  readonly endpoints?: readonly {
    readonly locality: { readonly zone: string }
    readonly priority?: number
    readonly lbEndpoints: readonly {
      readonly endpoint: { readonly address: { readonly socketAddress: { readonly address: string; readonly portValue: number } } }
      readonly loadBalancingWeight: { readonly value: number }
    }[]
  }[]
}

function lines(assignment: unknown): readonly string[] {
  return ((assignment as Assignment).endpoints ?? []).flatMap(({ locality, priority = 0, lbEndpoints }) =>
    lbEndpoints.map(({ endpoint: { address }, loadBalancingWeight: { value } }) => {
      const { address: ip, portValue } = address.socketAddress
      return `${ip}:${portValue} weight ${value} in ${locality.zone}${priority === 0 ? "" : `, priority ${priority}`}`
    }),
  )
}

function endpoint(ip: string, network: string, rest: Partial<Endpoint> = {}): Endpoint {
  return testEndpoint(ip, 80, { network, labels: mutual, cluster: network, ...rest })
}

function gateway(address: string, network: string, of = network): NetworkGateway {
  return { network, cluster: of, address, port: 15_443 }
}

const endpoints = [endpoint("10.1.0.1", "east"), endpoint("10.2.0.1", "west"), endpoint("10.2.0.2", "west")]

test("no gateways: everything is reached directly, whatever its network", () => {
  expect(told({ endpoints }, { NETWORK: "east" })).toEqual([
    "10.1.0.1:80 weight 1 in z1",
    "10.2.0.1:80 weight 1 in z1",
    "10.2.0.2:80 weight 1 in z1",
  ])
})

test("endpoints of another network are its gateway, with the weight of all of them", () => {
  const setting = { endpoints, gateways: [gateway("5.5.5.2", "west"), gateway("5.5.5.1", "east")] }
  expect(told(setting, { NETWORK: "east" })).toEqual(["10.1.0.1:80 weight 1 in z1", "5.5.5.2:15443 weight 2 in z1"])
  expect(told(setting, { NETWORK: "west" })).toEqual([
    "10.2.0.1:80 weight 1 in z1",
    "10.2.0.2:80 weight 1 in z1",
    "5.5.5.1:15443 weight 1 in z1",
  ])
})

test("a client or an endpoint that says no network is near to everything", () => {
  const setting = { endpoints: [endpoint("10.1.0.1", ""), endpoint("10.2.0.1", "west")], gateways: [gateway("5.5.5.2", "west")] }
  expect(told(setting, {})).toEqual(["10.1.0.1:80 weight 1 in z1", "10.2.0.1:80 weight 1 in z1"])
  expect(told(setting, { NETWORK: "east" })).toEqual(["10.1.0.1:80 weight 1 in z1", "5.5.5.2:15443 weight 1 in z1"])
})

test("weights are scaled by the least common multiple of gateways, so that every share is whole", () => {
  const three = [1, 2, 3].map((n) => gateway(`5.5.5.${n}`, "west"))
  const two = [1, 2].map((n) => gateway(`6.6.6.${n}`, "north"))
  const all = [...endpoints, endpoint("10.3.0.1", "north")]
  expect(told({ endpoints: all, gateways: [...three, ...two] }, { NETWORK: "east" })).toEqual([
    "10.1.0.1:80 weight 6 in z1",
    "5.5.5.1:15443 weight 4 in z1",
    "5.5.5.2:15443 weight 4 in z1",
    "5.5.5.3:15443 weight 4 in z1",
    "6.6.6.1:15443 weight 3 in z1",
    "6.6.6.2:15443 weight 3 in z1",
  ])
})

test("gateways of the endpoint's own cluster are preferred; where it has none, all of its network are used", () => {
  const gateways = [gateway("5.5.5.1", "west", "c1"), gateway("5.5.5.2", "west", "c2")]
  const of = (name: string) => [endpoint("10.2.0.1", "west", { cluster: name })]
  expect(told({ endpoints: of("c1"), gateways }, { NETWORK: "east" })).toEqual(["5.5.5.1:15443 weight 2 in z1"])
  expect(told({ endpoints: of("c3"), gateways }, { NETWORK: "east" })).toEqual([
    "5.5.5.1:15443 weight 1 in z1",
    "5.5.5.2:15443 weight 1 in z1",
  ])
})

test("another network's endpoints without mutual TLS are left out, unless all are let across; near ones stay", () => {
  const plain = [endpoint("10.1.0.1", "east", { labels: {} }), endpoint("10.2.0.1", "west", { labels: {} })]
  const setting = { endpoints: plain, gateways: [gateway("5.5.5.2", "west")] }
  expect(told(setting, { NETWORK: "east" })).toEqual(["10.1.0.1:80 weight 1 in z1"])
  expect(told({ ...setting, across: "all" }, { NETWORK: "east" })).toEqual(["10.1.0.1:80 weight 1 in z1", "5.5.5.2:15443 weight 1 in z1"])
})

test("a gateway that the mesh's settings name is of no cluster: it serves those whose cluster has none of its own", () => {
  const gateways = [gateway("5.5.5.1", "west", "c1"), gateway("5.5.5.9", "west", "")]
  const of = (cluster: string) => [endpoint("10.2.0.1", "west", { cluster })]
  expect(told({ endpoints: of("c1"), gateways }, { NETWORK: "east" })).toEqual(["5.5.5.1:15443 weight 2 in z1"])
  expect(told({ endpoints: of("c3"), gateways }, { NETWORK: "east" })).toEqual([
    "5.5.5.1:15443 weight 1 in z1",
    "5.5.5.9:15443 weight 1 in z1",
  ])
})

test("endpoints that are not well have no share in a gateway", () => {
  const setting = {
    endpoints: [endpoint("10.2.0.1", "west"), endpoint("10.2.0.2", "west", { health: "draining" })],
    gateways: [gateway("5.5.5.2", "west")],
  }
  expect(told(setting, { NETWORK: "east" })).toEqual(["5.5.5.2:15443 weight 1 in z1"])
})

test("a gateway whose name was not resolved counts as none", () => {
  expect(told({ endpoints: endpoints.slice(1, 2), gateways: [gateway("gw.example.org", "west")] }, { NETWORK: "east" })).toEqual([
    "10.2.0.1:80 weight 1 in z1",
  ])
})

test("a gateway for several localities stands once, where the nearest of them is", () => {
  const at = (zone: string) => ({ locality: { region: "r1", zone, subzone: "" } })
  const setting: Setting = {
    endpoints: [endpoint("10.2.0.1", "west", at("z2")), endpoint("10.2.0.2", "west", at("z1")), endpoint("10.1.0.1", "east", at("z2"))],
    gateways: [gateway("5.5.5.2", "west")],
    service: { distribution: "same-zone" },
  }
  expect(told(setting, { NETWORK: "east" })).toEqual(["5.5.5.2:15443 weight 2 in z1", "10.1.0.1:80 weight 1 in z2, priority 1"])
})

test("a client that asks for some networks only is sent those, and what has no network", () => {
  const all = [...endpoints, endpoint("10.9.0.1", "")]
  const view = { NETWORK: "east", REQUESTED_NETWORK_VIEW: "east,north" }
  expect(told({ endpoints: all }, view)).toEqual(["10.1.0.1:80 weight 1 in z1", "10.9.0.1:80 weight 1 in z1"])
  expect(told({ endpoints: all, gateways: [gateway("5.5.5.2", "west")] }, view)).toEqual([
    "10.1.0.1:80 weight 1 in z1",
    "10.9.0.1:80 weight 1 in z1",
  ])
})

test("clients of two networks on one server are sent different resources, and a gateway that moves reaches only the clients that it concerns", async () => {
  const { hub, registry, clock } = setUp({ endpoints, gateways: [gateway("5.5.5.2", "west")] })
  const east = new RawClient(hub, { node: nodeIn({ NETWORK: "east" }) })
  const west = new RawClient(hub, { node: nodeIn({ NETWORK: "west" }) })
  await clock.advance("1s")
  for (const client of [east, west]) client.ask("endpoint", [cluster])
  for (const client of [east, west]) expect(client.told()).toEqual([`eds ${cluster}`])
  registry.putGateways([gateway("5.5.5.3", "west")])
  await clock.advance("1s")
  expect([east.told(), west.told()]).toEqual([[`eds ${cluster}`], []])
})
