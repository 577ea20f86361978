import { memoryMetrics, VirtualClock } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { StaticRegistry } from "../registry/static-registry.ts"
import { Streams } from "../server/streams.ts"
import { RawClient } from "../testing/raw-client.ts"
import { testEndpoint, testService } from "../testing/samples.ts"
import { messages } from "../wire/messages.ts"
import { Hub } from "./hub.ts"

const web = "web.shop.svc.cluster.local"
const webCluster = `outbound|8080||${web}`
const special = "BlackHoleCluster PassthroughCluster"

function setUp(options: { quiet?: number; maximum?: number; grace?: number } = {}) {
  const clock = new VirtualClock()
  const registry = new StaticRegistry()
  const metrics = memoryMetrics()
  registry.put(testService("web"))
  registry.putEndpoints(web, [testEndpoint("10.0.0.1", 80)])
  const hub = new Hub({ registry, clock, metrics, ...options })
  return { clock, registry, metrics, hub }
}

/** An Envoy that has everything and said so. */
function started(hub: Hub, protocol: "sotw" | "delta" = "sotw"): RawClient {
  const client = new RawClient(hub, { protocol })
  client.ask("cluster", [])
  client.ask("endpoint", [webCluster])
  client.ack("cluster")
  client.ask("listener", [])
  client.ack("endpoint", [webCluster])
  client.ask("route", ["8080"])
  client.ack("listener")
  client.ack("route", ["8080"])
  client.told()
  return client
}

describe.each(["sotw", "delta"] as const)("%s", (protocol) => {
  test("a client gets clusters, endpoints, listeners and routes as it asks", () => {
    const client = new RawClient(setUp().hub, { protocol })
    client.ask("cluster", [])
    client.ask("endpoint", [webCluster])
    client.ask("listener", [])
    client.ask("route", ["8080"])
    expect(client.told()).toEqual([`cds ${special} ${webCluster}`, `eds ${webCluster}`, "lds 0.0.0.0_8080 virtualOutbound", "rds 8080"])
  })

  test("endpoints go out at once, without any time passing", async () => {
    const { hub, registry } = setUp()
    const client = started(hub, protocol)
    registry.putEndpoints(web, [testEndpoint("10.0.0.2", 80)])
    await Promise.resolve()
    expect(client.told()).toEqual([`eds ${webCluster}`])
  })

  test("changes that the source tells in one go are one response", async () => {
    const { hub, registry } = setUp()
    const client = started(hub, protocol)
    for (let index = 0; index < 50; index++) registry.putEndpoints(web, [testEndpoint(`10.0.1.${index}`, 80)])
    await Promise.resolve()
    expect(client.told()).toEqual([`eds ${webCluster}`])
  })

  test("a change that ends as it began is not told", async () => {
    const { hub, registry } = setUp()
    const client = started(hub, protocol)
    registry.putEndpoints(web, [testEndpoint("10.0.0.1", 80)])
    await Promise.resolve()
    expect(client.told()).toEqual([])
  })

  test("a changed cluster is followed by its endpoints, before listeners and routes", async () => {
    const { hub, registry, clock } = setUp()
    const client = started(hub, protocol)
    registry.put(testService("web", { ports: [{ name: "http", port: 8080, protocol: "HTTP2" }] }))
    await clock.advance(1_000)
    const clusters = protocol === "sotw" ? `${special} ${webCluster}` : webCluster
    expect(client.told()).toEqual([`cds ${clusters}`, `eds ${webCluster}`])
  })

  test("a new service comes as cluster, endpoints that are not requested yet, listener, route", async () => {
    const { hub, registry, clock } = setUp()
    const client = started(hub, protocol)
    registry.put(testService("new"))
    registry.putEndpoints("new.shop.svc.cluster.local", [testEndpoint("10.0.0.9", 80)])
    await clock.advance(1_000)
    const name = "outbound|8080||new.shop.svc.cluster.local"
    const clusters = protocol === "sotw" ? `${special} ${name} ${webCluster}` : name
    expect(client.told()).toEqual([`cds ${clusters}`, `eds ${name}`, "rds 8080"])
  })

  test("a service that goes loses its endpoints at once, its route soon, and its cluster after the grace", async () => {
    const { hub, registry, clock } = setUp({ grace: 5_000 })
    const client = started(hub, protocol)
    registry.remove(web)
    await Promise.resolve()
    expect(client.told()).toEqual([`eds ${webCluster}`])
    await clock.advance(1_000)
    expect(client.told()).toEqual([
      protocol === "sotw" ? "lds virtualOutbound" : "lds -0.0.0.0_8080",
      ...(protocol === "delta" ? ["rds -8080"] : []),
    ])
    await clock.advance(10_000)
    expect(client.told()).toEqual([protocol === "sotw" ? `cds ${special}` : `cds -${webCluster}`])
  })

  test("a service that is back within the grace was never gone as a cluster", async () => {
    const { hub, registry, clock } = setUp({ grace: 5_000 })
    const client = started(hub, protocol)
    registry.remove(web)
    await clock.advance(1_000)
    registry.put(testService("web"))
    await clock.advance(20_000)
    expect(client.told().filter((line) => line.startsWith("cds"))).toEqual([])
  })

  test("a client that does not take what it is sent gets the newest when it does, and delays no other client", async () => {
    const { hub, registry } = setUp()
    const slow = started(hub, protocol)
    const quick = started(hub, protocol)
    slow.stalls = true
    for (let index = 0; index < 100; index++) {
      registry.putEndpoints(web, [testEndpoint(`10.0.2.${index}`, 80)])
      await Promise.resolve()
    }
    expect(quick.told()).toHaveLength(100)
    expect(slow.told()).toHaveLength(4)
    slow.stalls = false
    for (const done of slow.stalled.splice(0)) done()
    expect(slow.told()).toEqual([`eds ${webCluster}`])
  })

  test("who did not ask for it is not told, and nothing is rendered for it", async () => {
    const { hub, registry } = setUp()
    const client = new RawClient(hub, { protocol })
    client.ask("endpoint", ["outbound|8080||other.shop.svc.cluster.local"])
    client.told()
    const { misses } = hub.caches.envoy
    registry.putEndpoints(web, [testEndpoint("10.0.0.2", 80)])
    await Promise.resolve()
    expect(client.told()).toEqual([])
    expect(hub.caches.envoy.misses).toBe(misses)
  })

  test("what many ask for is rendered once", async () => {
    const { hub, registry } = setUp()
    const clients = Array.from({ length: 20 }, () => started(hub, protocol))
    const { misses } = hub.caches.envoy
    registry.putEndpoints(web, [testEndpoint("10.0.0.2", 80)])
    await Promise.resolve()
    for (const client of clients) expect(client.told()).toEqual([`eds ${webCluster}`])
    expect(hub.caches.envoy.misses).toBe(misses + 1)
  })
})

test("versions are the same on another server: they are made of the content", () => {
  const versions = [setUp(), setUp()].map(({ hub }) => {
    const client = new RawClient(hub)
    client.ask("cluster", [])
    client.ask("endpoint", [webCluster])
    return client.received.map(({ version }) => version)
  })
  expect(versions[0]).toEqual(versions[1])
})

test("a client that is back with the same versions is sent nothing again", () => {
  const { hub } = setUp()
  const before = new RawClient(hub, { protocol: "delta" })
  before.ask("endpoint", [webCluster])
  const version = before.received[0]!.version
  const after = new RawClient(hub, { protocol: "delta" })
  after.ask("endpoint", [webCluster], { initial: { [webCluster]: version } })
  expect(after.told()).toEqual([])
})

test.each([
  ["clusters first", ["cluster", "endpoint"]],
  ["endpoints first", ["endpoint", "cluster"]],
] as const)("delta: an Envoy that is back gets its endpoints once more, lest a cluster waits for them; %s", (_what, order) => {
  const { hub } = setUp()
  const before = new RawClient(hub, { protocol: "delta" })
  before.ask("cluster", [])
  before.ask("endpoint", [webCluster])
  const versions = before.received.map(({ resources }) => Object.fromEntries(resources.map(({ name, version }) => [name, version])))
  const held = { cluster: versions[0]!, endpoint: versions[1]! }
  const after = new RawClient(hub, { protocol: "delta" })
  for (const kind of order) after.ask(kind, kind === "endpoint" ? [webCluster] : [], { initial: held[kind] })
  expect(after.told()).toEqual(["cds", `eds ${webCluster}`])
  after.ack("endpoint")
  after.ask("endpoint", ["outbound|1||another"])
  expect(after.told()).toEqual(["eds outbound|1||another"])
})

test("a service that is found another way from now on: its cluster changes, and its endpoints follow where it has any", async () => {
  const { hub, registry, clock } = setUp()
  const client = started(hub, "delta")
  registry.put(testService("web", { resolution: "dns", externalName: "web.example.org" }))
  await clock.advance(1_000)
  expect(client.told()).toContain(`cds ${webCluster}`)
  registry.put(testService("web"))
  await clock.advance(1_000)
  expect(client.told().slice(0, 2)).toEqual([`cds ${webCluster}`, `eds ${webCluster}`])
})

test("endpoints that go to none and come back are never told as anything but endpoints", async () => {
  const { hub, registry, clock } = setUp()
  const client = started(hub)
  for (const endpoints of [[], [testEndpoint("10.0.0.1", 80)], [], [testEndpoint("10.0.0.2", 80)]]) {
    registry.putEndpoints(web, endpoints)
    await clock.advance(1_000)
    expect(client.told()).toEqual([`eds ${webCluster}`])
    client.ack("endpoint", [webCluster])
  }
})

test("services that change without an end go out at the maximum, and endpoints beside them at once", async () => {
  const { hub, registry, clock } = setUp({ quiet: 100, maximum: 1_000 })
  const client = started(hub)
  for (let index = 0; index < 22; index++) {
    registry.put(testService("busy", { ports: [{ name: "http", port: 9000 + index, protocol: "TCP" }] }))
    await clock.advance(50)
  }
  const told = client.told().filter((line) => line.startsWith("cds"))
  expect(told).toHaveLength(1)
  registry.putEndpoints(web, [testEndpoint("10.0.0.2", 80)])
  await Promise.resolve()
  expect(client.told()).toEqual([`eds ${webCluster}`])
})

test("a change is traced from its event to the last ACK", async () => {
  const { hub, registry, metrics } = setUp()
  const clients = [started(hub), started(hub)]
  registry.putEndpoints(web, [testEndpoint("10.0.0.2", 80)])
  await Promise.resolve()
  expect(hub.traces.list()[0]).toMatchObject({ what: "endpoints", hostname: web, streams: 2, acked: 0 })
  for (const client of clients) client.ack("endpoint", [webCluster])
  expect(hub.traces.list()[0]).toMatchObject({ streams: 2, acked: 2 })
  expect(metrics.value("pilot_proxy_convergence_time")).toBe(2)
})

test("a refusal is counted, its text is capped, and the client keeps its subscription", async () => {
  const { hub, registry, metrics } = setUp()
  const client = started(hub)
  registry.putEndpoints(web, [testEndpoint("10.0.0.2", 80)])
  await Promise.resolve()
  client.ask("endpoint", [webCluster], { nonce: client.received[0]!.nonce, error: "x".repeat(10_000) })
  const [session] = hub.sessions
  expect(session!.watches.endpoint.nackText).toHaveLength(4_096)
  expect(metrics.value("pilot_xds_eds_reject")).toBe(1)
  expect(metrics.value("pilot_total_xds_rejects")).toBe(1)
  client.told()
  registry.putEndpoints(web, [testEndpoint("10.0.0.3", 80)])
  await Promise.resolve()
  expect(client.told()).toEqual([`eds ${webCluster}`])
})

describe("streams that are refused", () => {
  test("a node without an id", () => {
    const client = new RawClient(setUp().hub, { node: { cluster: "c" } })
    client.ask("cluster", [])
    expect(client.failures).toEqual([
      "INVALID_ARGUMENT: expected a node with an id in the first request, found none; set node.id in the bootstrap",
    ])
  })
  test("garbage", () => {
    const client = new RawClient(setUp().hub)
    client.say(Buffer.from("\xff\xffgarbage", "latin1"))
    expect(client.failures[0]).toMatch(/^INVALID_ARGUMENT: expected a discovery request, found bytes that are none/)
  })
  test("a server that has not read everything", () => {
    const { hub, registry } = setUp()
    registry.synced = false
    expect(new RawClient(hub).failures).toEqual(["UNAVAILABLE: the registry has not read everything yet; try again"])
  })
  test("one too many; there is room again when another ends", () => {
    const { hub } = setUp()
    const streams = new Streams({ hub, maximum: 1 })
    const first = new RawClient(hub, { streams })
    expect(new RawClient(hub, { streams }).failures).toEqual([
      "RESOURCE_EXHAUSTED: 1 streams are open, which is the most; try another replica",
    ])
    first.end()
    first.end()
    expect(new RawClient(hub, { streams }).failures).toEqual([])
  })
  test.each(["sotw", "delta"] as const)("%s: kinds that are not served are left unanswered, and the stream goes on", (protocol) => {
    const client = new RawClient(setUp().hub, { protocol })
    const message = protocol === "sotw" ? messages.discoveryRequest : messages.deltaDiscoveryRequest
    const typeUrl = "type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.Secret"
    client.say(message.encode({ node: { id: "n1" }, typeUrl, resourceNames: ["default"], resourceNamesSubscribe: ["default"] }))
    expect([client.failures, client.told()]).toEqual([[], []])
    client.ask("cluster", [])
    expect([client.failures, client.told()]).toEqual([[], [`cds ${special} ${webCluster}`]])
  })
  test("a request that does not say which kind it is for", () => {
    const client = new RawClient(setUp().hub)
    client.say(messages.discoveryRequest.encode({ node: { id: "n1" }, resourceNames: [webCluster] }))
    expect(client.failures).toEqual(["INVALID_ARGUMENT: expected a type_url in every request of ADS, found none"])
  })
})

test("nothing is left of a stream that ended", async () => {
  const { hub, registry, metrics } = setUp()
  const client = started(hub)
  client.end()
  registry.putEndpoints(web, [testEndpoint("10.0.0.2", 80)])
  await Promise.resolve()
  expect(client.told()).toEqual([])
  expect(hub.sessions.size).toBe(0)
  expect(metrics.value("pilot_xds")).toBe(0)
})

test("names that a client makes up are not kept", () => {
  const { hub } = setUp()
  const client = new RawClient(hub)
  client.ask(
    "endpoint",
    Array.from({ length: 100 }, (_, index) => `made-up-${index}`),
  )
  expect(hub.caches.envoy.sizes().endpoint.entries).toBe(0)
})

test("a headless service's pods have listeners of their own, which come and go with them", async () => {
  const { hub, registry, clock } = setUp()
  const client = started(hub)
  const ports = [{ name: "db", port: 5432, protocol: "TCP" as const }]
  registry.put(testService("db", { resolution: "passthrough", ports }))
  registry.putEndpoints("db.shop.svc.cluster.local", [testEndpoint("10.0.0.5", 5432, { portName: "db" })])
  await clock.advance(1_000)
  expect(client.told().at(-1)).toBe("lds 0.0.0.0_8080 10.0.0.5_5432 virtualOutbound")
  registry.putEndpoints("db.shop.svc.cluster.local", [testEndpoint("10.0.0.6", 5432, { portName: "db" })])
  await Promise.resolve()
  expect(client.told().at(-1)).toBe("lds 0.0.0.0_8080 10.0.0.6_5432 virtualOutbound")
})

test("a thousand clients that come back at once are answered from one rendering, and get a change from one", async () => {
  const { hub, registry } = setUp()
  const streams = new Streams({ hub, maximum: 1_000 })
  const clients = Array.from({ length: 1_000 }, () => new RawClient(hub, { streams }))
  const { misses } = hub.caches.envoy
  for (const client of clients) client.ask("endpoint", [webCluster])
  expect(hub.caches.envoy.misses).toBe(misses + 1)
  registry.putEndpoints(web, [testEndpoint("10.0.0.2", 80)])
  await Promise.resolve()
  expect(hub.caches.envoy.misses).toBe(misses + 2)
  expect(new Set(clients.map((client) => client.received.map(({ nonce }) => nonce).join()))).toEqual(new Set(["1,2"]))
})

test("ten thousand endpoints in one service are one response, and no other client gets them", async () => {
  const { hub, registry } = setUp()
  const endpoints = Array.from({ length: 10_000 }, (_, index) => testEndpoint(`10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`, 80))
  registry.putEndpoints(web, endpoints)
  const client = new RawClient(hub)
  client.ask("endpoint", [webCluster])
  const neighbour = new RawClient(hub)
  neighbour.ask("endpoint", ["outbound|8080||other.shop.svc.cluster.local"])
  client.told()
  neighbour.told()
  registry.putEndpoints(web, [...endpoints.slice(1), testEndpoint("10.9.9.9", 80)])
  await Promise.resolve()
  expect(client.told()).toEqual([`eds ${webCluster}`])
  expect(neighbour.told()).toEqual([])
})

test("a stream that has seen a response gets another nonce for the same content", () => {
  const { hub } = setUp()
  const client = new RawClient(hub, { protocol: "delta" })
  client.ask("endpoint", [webCluster])
  client.ask("endpoint", [webCluster])
  expect(client.received.map(({ nonce }) => nonce)).toEqual(["1", "2"])
})
