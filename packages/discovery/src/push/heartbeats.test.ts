import { memoryMetrics, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { StaticRegistry } from "../registry/static-registry.ts"
import { RawClient } from "../testing/raw-client.ts"
import { testEndpoint, testService } from "../testing/samples.ts"
import { Hub } from "./hub.ts"

const web = "web.shop.svc.cluster.local"
const cluster = `outbound|8080||${web}`
const canTtl = "xds.config.supports-resource-ttl"
const canUnwrap = "xds.config.resource-in-sotw"

function setUp(protocol: "sotw" | "delta", clientFeatures: readonly string[], times: { ttl?: number } = { ttl: 10_000 }) {
  const clock = new VirtualClock()
  const registry = new StaticRegistry()
  registry.put(testService("web"))
  registry.putEndpoints(web, [testEndpoint("10.0.0.1", 80)])
  const hub = new Hub({ registry, clock, metrics: memoryMetrics(), ...times })
  const client = new RawClient(hub, { protocol, node: { id: "n", userAgentName: "envoy", clientFeatures } })
  client.ask("endpoint", [cluster])
  /** "whole 10 s": how each resource came, of all responses since the last time. */
  const forms = () =>
    client.received
      .splice(0)
      .flatMap(({ resources }) =>
        resources.map(
          ({ wrapped, ttl: seconds, whole }) => `${wrapped ? "wrapped " : ""}${whole ? "whole" : "heartbeat"} ${seconds ?? "no"} s`,
        ),
      )
  return { clock, registry, hub, client, forms }
}

test.each([
  ["delta", [canTtl], "wrapped whole 10 s"],
  ["delta", [canUnwrap], "wrapped whole no s"],
  ["sotw", [canTtl, canUnwrap], "wrapped whole 10 s"],
  ["sotw", [canTtl, "xds.config.supports-resource-in-sotw"], "wrapped whole 10 s"],
  ["sotw", [canTtl], "whole no s"],
  ["sotw", [canUnwrap], "whole no s"],
  ["sotw", [], "whole no s"],
] as const)("%s to a client with the features %j: clusters are %s", (protocol, features, form) => {
  const { client, forms } = setUp(protocol, features)
  forms()
  client.ask("cluster", [])
  expect(forms().slice(0, 3)).toEqual([form, form, form])
})

test.each([
  ["delta", { cluster: 10, endpoint: 10, listener: 10, route: 10 }],
  ["sotw", { cluster: 10, endpoint: undefined, listener: 10, route: undefined }],
] as const)("%s: what runs out; by state of the world Envoy crashes where endpoints or routes do", (protocol, expected) => {
  const { client } = setUp(protocol, [canTtl, canUnwrap])
  client.ask("cluster", [])
  client.ask("listener", [])
  client.ask("route", ["8080"])
  expect(Object.fromEntries(client.received.map(({ kind, resources }) => [kind, resources[0]!.ttl]))).toEqual(expected)
})

test("without a time nothing runs out, whatever a client can do", async () => {
  const { clock, forms, client } = setUp("delta", [canTtl], {})
  client.ack("endpoint")
  await clock.advance("1h")
  expect(forms()).toEqual(["wrapped whole no s"])
})

test("delta: a client that has accepted it gets two heartbeats in that time, without its content and in the same version", async () => {
  const { clock, client, forms } = setUp("delta", [canTtl])
  const [{ resources: first }] = client.received as [(typeof client.received)[0]]
  client.ack("endpoint")
  forms()
  await clock.advance("5s")
  expect(client.received[0]!.resources.map(({ name, version }) => [name, version])).toEqual([[cluster, first[0]!.version]])
  expect(forms()).toEqual(["wrapped heartbeat 10 s"])
  client.ack("endpoint")
  await clock.advance("20s")
  expect(forms()).toHaveLength(4)
})

test("delta: what was not accepted yet, or not any more wanted, has no heartbeat", async () => {
  const { clock, client, forms } = setUp("delta", [canTtl])
  forms()
  await clock.advance("5s")
  expect(forms()).toEqual([])
  client.ask("endpoint", [], { nonce: "1" })
  client.ask("endpoint", [], { unsubscribe: [cluster] })
  await clock.advance("5s")
  expect(forms()).toEqual([])
})

test("delta: after a refusal the last good version goes on, not the refused one", async () => {
  const { clock, registry, client } = setUp("delta", [canTtl])
  const good = client.received[0]!.resources[0]!.version
  client.ack("endpoint")
  registry.putEndpoints(web, [testEndpoint("10.0.0.2", 80)])
  await clock.settle()
  const bad = client.received.at(-1)!
  client.ask("endpoint", [], { nonce: bad.nonce, error: "no" })
  await clock.advance("5s")
  expect(bad.resources[0]!.version).not.toBe(good)
  expect(client.received.at(-1)!.resources).toMatchObject([{ name: cluster, version: good, whole: false }])
})

test("delta: a heartbeat is no change: its ACK is one, and the next change is sent as always", async () => {
  const { clock, registry, client, hub, forms } = setUp("delta", [canTtl])
  client.ack("endpoint")
  await clock.advance("5s")
  client.ack("endpoint")
  const [session] = hub.sessions
  expect([session!.watches.endpoint.acked, session!.watches.endpoint.sent]).toEqual(["2", "2"])
  forms()
  registry.putEndpoints(web, [testEndpoint("10.0.0.2", 80)])
  await clock.settle()
  expect(forms()).toEqual(["wrapped whole 10 s"])
})

test("state of the world: clusters and listeners are sent whole again, because heartbeats alone would read as the empty set", async () => {
  const { clock, client, forms } = setUp("sotw", [canTtl, canUnwrap])
  client.ack("endpoint", [cluster])
  client.ask("cluster", [])
  client.ack("cluster")
  client.ask("listener", [])
  client.ack("listener")
  client.told()
  await clock.advance("5s")
  const again = client.received.map(({ kind, names }) => `${kind} ${names.length}`)
  expect([again, new Set(forms())]).toEqual([["cluster 3", "listener 2"], new Set(["wrapped whole 10 s"])])
})

test("a client that does not take what it is sent gets no heartbeats on top of it", async () => {
  const { clock, registry, client, forms } = setUp("delta", [canTtl])
  client.ack("endpoint")
  client.stalls = true
  for (let index = 0; index < 10; index++) {
    registry.putEndpoints(web, [testEndpoint(`10.0.1.${index}`, 80)])
    await clock.settle()
  }
  forms()
  await clock.advance("1m")
  expect(forms()).toEqual([])
})

test("delta: a client that takes nothing when a heartbeat is due gets it as soon as it does", async () => {
  const { clock, registry, client, hub, forms } = setUp("delta", [canTtl])
  client.ack("endpoint")
  client.stalls = true
  const [session] = hub.sessions
  for (let number = 2; !session!.blocked; number++) {
    registry.putEndpoints(web, [testEndpoint(`10.0.0.${number}`, 80)])
    await clock.settle()
  }
  forms()
  await clock.advance("5s")
  expect(forms()).toEqual([])
  client.stalls = false
  for (const left of client.stalled.splice(0)) left()
  expect(forms()).toContain("wrapped heartbeat 10 s")
})

test("delta: a client that accepts many responses at once holds them all, also what only the first of them had", async () => {
  const { clock, registry, client } = setUp("delta", [canTtl])
  registry.put(testService("other"))
  const other = "outbound|8080||other.shop.svc.cluster.local"
  client.ask("endpoint", [other])
  for (let number = 0; number < 50; number++) {
    registry.putEndpoints(web, [testEndpoint(`10.0.1.${number}`, 80)])
    await clock.settle()
  }
  client.ack("endpoint")
  client.received.length = 0
  await clock.advance("5s")
  expect(client.received.flatMap(({ names }) => names).toSorted()).toEqual([other, cluster].toSorted())
})
