import { memoryMetrics, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { StaticRegistry } from "../registry/static-registry.ts"
import { RawClient } from "../testing/raw-client.ts"
import { testEndpoint, testService } from "../testing/samples.ts"
import { Hub } from "./hub.ts"

const web = "web.shop.svc.cluster.local"
const cluster = `outbound|8080||${web}`
const clientFeatures = ["xds.config.supports-resource-ttl", "xds.config.resource-in-sotw"]

/** Three clients, of which nothing can be made for the second once `breaks` is set. */
function setUp(protocol: "sotw" | "delta" = "delta") {
  const clock = new VirtualClock()
  const registry = new StaticRegistry()
  const metrics = memoryMetrics()
  registry.put(testService("web"))
  registry.putEndpoints(web, [testEndpoint("10.0.0.1", 80)])
  const hub = new Hub({ registry, clock, metrics, ttl: 10_000 })
  const state = { breaks: false }
  const find = hub.caches.envoy.find.bind(hub.caches.envoy)
  hub.caches.envoy.find = (kind, name, client) => {
    if (state.breaks && client.id === "two") throw new Error("a fault")
    return find(kind, name, client)
  }
  const clients = ["one", "two", "three"].map((id) => {
    const client = new RawClient(hub, { protocol, node: { id, userAgentName: "envoy", clientFeatures } })
    client.ask("endpoint", [cluster])
    client.ack("endpoint", [cluster])
    client.ask("cluster", [])
    client.ack("cluster")
    client.told()
    return client
  })
  return { clock, registry, metrics, hub, state, clients }
}

test("what cannot be made for one client ends its stream; the next ones are served, and the server goes on", async () => {
  const { registry, metrics, hub, state, clients } = setUp()
  state.breaks = true
  registry.putEndpoints(web, [])
  await Promise.resolve()
  expect(clients.map((client) => [client.told(), client.failures])).toEqual([
    [[`eds ${cluster}`], []],
    [[], ["INTERNAL: a fault"]],
    [[`eds ${cluster}`], []],
  ])
  expect([hub.sessions.size, metrics.value("pilot_total_xds_internal_errors")]).toEqual([2, 1])
})

test("so does a fault when a client takes again what it did not take before", async () => {
  const { clock, registry, state, clients } = setUp()
  const [, slow] = clients
  slow!.stalls = true
  for (let at = 0; at < 6; at++) {
    registry.putEndpoints(web, [testEndpoint(`10.0.1.${at}`, 80)])
    await clock.settle()
  }
  state.breaks = true
  for (const done of slow!.stalled.splice(0)) done()
  expect(slow!.failures).toEqual(["INTERNAL: a fault"])
})

test("and one at a heartbeat: the others have theirs, and the next", async () => {
  const { clock, state, clients } = setUp("sotw")
  state.breaks = true
  await clock.advance("10s")
  expect(clients.map((client) => client.told().filter((line) => line.startsWith("cds")).length)).toEqual([2, 0, 2])
})
