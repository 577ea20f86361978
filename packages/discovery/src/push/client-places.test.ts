import { memoryMetrics, VirtualClock } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import type { Place } from "../model/endpoint.ts"
import { StaticRegistry } from "../registry/static-registry.ts"
import { edsz } from "../server/debug.ts"
import { RawClient } from "../testing/raw-client.ts"
import { testEndpoint, testService } from "../testing/samples.ts"
import { Hub } from "./hub.ts"

const web = "web.shop.svc.cluster.local"
const anywhere = "any.shop.svc.cluster.local"
const cluster = `outbound|8080||${web}`
const other = `outbound|8080||${anywhere}`
const at = (zone: string, node = "n1"): Place => ({ node, locality: { region: "r1", zone, subzone: "" } })

interface Assignment {
  readonly endpoints: readonly { readonly locality: { readonly zone: string }; readonly priority?: number }[]
}

function setUp(protocol: "sotw" | "delta") {
  const clock = new VirtualClock()
  const registry = new StaticRegistry()
  const metrics = memoryMetrics()
  registry.put(testService("web", { distribution: "same-zone" }))
  registry.put(testService("any"))
  for (const [n, host] of [web, anywhere].entries()) {
    const endpoints = ["z1", "z2"].map((zone, m) => testEndpoint(`10.${n}.0.${m}`, 80, { locality: at(zone).locality }))
    registry.putEndpoints(host, endpoints)
  }
  const hub = new Hub({ registry, clock, metrics })
  const client = new RawClient(hub, { protocol })
  const subscribe = () => {
    client.ask("endpoint", [cluster, other])
    client.ack("endpoint", [cluster, other])
    client.told()
  }
  const nearest = () => {
    const [assignment] = (edsz(hub, undefined) as readonly (Assignment & { readonly clusterName: string })[]).filter(
      ({ clusterName }) => clusterName === cluster,
    )
    return assignment!.endpoints.filter(({ priority = 0 }) => priority === 0).map(({ locality }) => locality.zone)
  }
  return { clock, registry, metrics, hub, client, subscribe, nearest }
}

describe.each(["sotw", "delta"] as const)("%s", (protocol) => {
  test("a client whose pod is elsewhere now is sent what is near there, and nothing that is the same everywhere", async () => {
    const { clock, registry, client, subscribe, nearest } = setUp(protocol)
    registry.putPlace("shop/c1", at("z1"))
    subscribe()
    expect(nearest()).toEqual(["z1"])
    registry.putPlace("shop/c1", at("z2"))
    await clock.settle()
    expect([client.told(), nearest()]).toEqual([[`eds ${cluster}`], ["z2"]])
  })

  test("a pod that becomes known while its client is connected says where it is", async () => {
    const { clock, registry, client, subscribe, nearest } = setUp(protocol)
    subscribe()
    registry.putPlace("shop/c1", at("z2"))
    await clock.settle()
    expect([client.told(), nearest()]).toEqual([[`eds ${cluster}`], ["z2"]])
  })

  test("a client whose pod has gone stays where it was: it is about to go too", async () => {
    const { clock, registry, client, metrics, subscribe, nearest } = setUp(protocol)
    registry.putPlace("shop/c1", at("z2"))
    subscribe()
    registry.putPlace("shop/c1", undefined)
    await clock.settle()
    expect([client.told(), nearest(), metrics.value("pilot_no_ip")]).toEqual([[], ["z2"], 1])
  })

  test("a change of another pod, or no change, is ignored", async () => {
    const { clock, registry, client, subscribe } = setUp(protocol)
    registry.putPlace("shop/c1", at("z1"))
    subscribe()
    registry.putPlace("shop/c2", at("z2"))
    registry.putPlace("shop/c1", at("z1"))
    await clock.settle()
    expect(client.told()).toEqual([])
  })
})

test("clients that name a pod which is not known are counted, while they are connected", () => {
  const { registry, metrics, hub, client, subscribe } = setUp("sotw")
  const strangers = () => metrics.value("pilot_no_ip")
  subscribe()
  expect(strangers()).toBe(1)
  const unplaced = new RawClient(hub, { node: { id: "no pod at all" } })
  unplaced.ask("endpoint", [cluster])
  expect(strangers()).toBe(1)
  registry.putPlace("shop/c1", at("z1"))
  expect(strangers()).toBe(0)
  const second = new RawClient(hub, { node: { id: "sidecar~10.0.0.9~c9.shop~shop.svc.cluster.local" } })
  second.ask("endpoint", [cluster])
  expect(strangers()).toBe(1)
  second.end()
  client.end()
  expect(strangers()).toBe(0)
})
