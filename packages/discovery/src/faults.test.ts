import type { KubeObject } from "@pilothouse/api"
import { memoryMetrics, seededRandom, silentLog, VirtualClock } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { AggregateRegistry } from "./aggregate/aggregate-registry.ts"
import { KubeRegistry } from "./kube/kube-registry.ts"
import { Hub } from "./push/hub.ts"
import { Streams } from "./server/streams.ts"
import { TestKube } from "./testing/kube.ts"
import { kubePod, kubeService, kubeSlice } from "./testing/kube-objects.ts"
import { RawClient } from "./testing/raw-client.ts"

const host = "web.shop.svc.cluster.local"
const cluster = `outbound|80||${host}`

function web(net: number, numbers: readonly number[]): readonly KubeObject[] {
  const endpoints = numbers.map((n) => ({ ip: `10.${net}.0.${n}`, pod: `web-${n}` }))
  const pods = endpoints.map(({ ip, pod }) => kubePod(`shop/${pod}`, { ip, labels: { app: "web" } }))
  return [kubeService("shop/web"), ...pods, kubeSlice("shop/web", { endpoints })]
}

/** From clusters to streams, in one process and in virtual time. */
async function setUp(...names: readonly string[]) {
  const clock = new VirtualClock()
  const metrics = memoryMetrics()
  const kubes = names.map((_, index) => {
    const kube = new TestKube()
    for (const object of web(index, [1])) kube.put(object)
    return kube
  })
  const all = new AggregateRegistry({ log: silentLog })
  for (const [index, name] of names.entries())
    all.add(new KubeRegistry({ client: kubes[index]!.client, clock, random: seededRandom(1), log: silentLog, cluster: name }))
  const hub = new Hub({ registry: all, clock, metrics })
  const streams = new Streams({ hub, maximum: 2_000 })
  const stopping = new AbortController()
  const running = all.run(stopping.signal)
  await clock.advance("1s")
  return {
    clock,
    metrics,
    kubes,
    all,
    hub,
    streams,
    put: async (kube: TestKube, ...objects: readonly KubeObject[]) => {
      for (const object of objects) kube.put(object)
      await clock.settle()
    },
    client: (protocol: "sotw" | "delta" = "delta") => {
      const client = new RawClient(hub, { protocol, streams })
      client.ask("cluster", [])
      client.ask("endpoint", [cluster])
      for (const kind of ["cluster", "endpoint"] as const) client.ack(kind, kind === "endpoint" ? [cluster] : [])
      client.told()
      return client
    },
    addresses: () => all.endpoints(host).map(({ addresses }) => addresses[0]),
    async [Symbol.asyncDispose]() {
      stopping.abort()
      await clock.run(running)
      hub[Symbol.dispose]()
    },
  }
}

describe.each(["sotw", "delta"] as const)("%s", (protocol) => {
  test("the API server goes away and is restarted: clients keep what they have, new ones are served, and only differences are sent", async () => {
    await using f = await setUp("east")
    const [kube] = f.kubes as [TestKube]
    const client = f.client(protocol)
    kube.down = true
    kube.cutWatches()
    await f.clock.advance("5m")
    expect([client.told(), f.addresses(), f.hub.ready]).toEqual([[], ["10.0.0.1"], true])
    const late = new RawClient(f.hub, { protocol, streams: f.streams })
    late.ask("endpoint", [cluster])
    expect(late.told()).toEqual([`eds ${cluster}`])
    for (const object of web(0, [1, 2])) kube.put(object)
    kube.restart()
    await f.clock.advance("5m")
    expect([client.told(), late.told(), f.addresses()]).toEqual([[`eds ${cluster}`], [`eds ${cluster}`], ["10.0.0.1", "10.0.0.2"]])
  })

  test("an API server that is restarted with nothing changed: no client is notified", async () => {
    await using f = await setUp("east")
    const client = f.client(protocol)
    f.kubes[0]!.restart()
    await f.clock.advance("5m")
    expect([client.told(), f.addresses()]).toEqual([[], ["10.0.0.1"]])
  })

  test("watches that are cut again and again, in the middle of changes: every change arrives, none twice", async () => {
    await using f = await setUp("east")
    const [kube] = f.kubes as [TestKube]
    const client = f.client(protocol)
    for (let n = 2; n <= 20; n++) {
      kube.cutWatches()
      await f.put(kube, ...web(0, [n, n + 1]))
      kube.cutWatches()
      await f.clock.advance("2m")
      expect([n, f.addresses()]).toEqual([n, [`10.0.0.${n}`, `10.0.0.${n + 1}`]])
      const versions = client.received.map(({ version }) => version)
      expect([n, new Set(versions).size]).toEqual([n, versions.length])
      const told = client.told()
      expect([n, new Set(told), told.length <= 2]).toEqual([n, new Set([`eds ${cluster}`]), true])
      client.ack("endpoint", [cluster])
    }
  })

  test("two clusters are merged; one becomes unreachable without notifying clients, and comes back with what happened meanwhile", async () => {
    await using f = await setUp("east", "west")
    const [east, west] = f.kubes as [TestKube, TestKube]
    const client = f.client(protocol)
    west.down = true
    west.cutWatches()
    await f.clock.advance("10m")
    expect([client.told(), f.addresses()]).toEqual([[], ["10.0.0.1", "10.1.0.1"]])
    await f.put(east, ...web(0, [1, 2]))
    expect([client.told(), f.addresses()]).toEqual([[`eds ${cluster}`], ["10.0.0.1", "10.0.0.2", "10.1.0.1"]])
    for (const object of web(1, [3])) west.put(object)
    west.restart()
    await f.clock.advance("5m")
    // Slices may be read before pods: then the new endpoint waits a moment for its pod, and comes in a second response.
    expect([new Set(client.told()), f.addresses()]).toEqual([new Set([`eds ${cluster}`]), ["10.0.0.1", "10.0.0.2", "10.1.0.3"]])
  })

  test("a cluster that is taken away and added again takes its endpoints along and brings them back, and the cluster of Envoy stays", async () => {
    await using f = await setUp("east", "west")
    const client = f.client(protocol)
    f.all.remove("west")
    await f.clock.advance("1s")
    expect([new Set(client.told()), f.addresses()]).toEqual([new Set([`eds ${cluster}`]), ["10.0.0.1"]])
    const registry = new KubeRegistry({
      client: f.kubes[1]!.client,
      clock: f.clock,
      random: seededRandom(1),
      log: silentLog,
      cluster: "west",
    })
    f.all.add(registry)
    await f.clock.advance("1s")
    expect([new Set(client.told()), f.addresses()]).toEqual([new Set([`eds ${cluster}`]), ["10.0.0.1", "10.1.0.1"]])
  })
})

test("1,000 clients lose their connection and are back at once: those that say what they hold are sent nothing, and another gets a change as before", async () => {
  await using f = await setUp("east")
  const steady = f.client()
  const first = Array.from({ length: 1_000 }, () => {
    const client = new RawClient(f.hub, { protocol: "delta", streams: f.streams })
    client.ask("endpoint", [cluster])
    return client
  })
  const { version } = first[0]!.received[0]!.resources[0]!
  for (const client of first) client.end()
  expect([f.hub.sessions.size, f.metrics.value("pilot_xds")]).toEqual([1, 1])
  const { misses } = f.hub.caches.envoy
  const back = first.map(() => new RawClient(f.hub, { protocol: "delta", streams: f.streams }))
  for (const client of back) client.ask("endpoint", [cluster], { initial: { [cluster]: version } })
  expect([f.hub.sessions.size, f.hub.caches.envoy.misses]).toEqual([1_001, misses])
  expect(back.filter(({ received }) => received.length > 0)).toEqual([])
  await f.put(f.kubes[0]!, ...web(0, [1, 2]))
  expect(steady.told()).toEqual([`eds ${cluster}`])
  expect(back.filter((client) => client.told().join() !== `eds ${cluster}`)).toEqual([])
})

test("a client that never accepts anything, one that never reads, and one that sends garbage: the fourth notices none of them", async () => {
  await using f = await setUp("east")
  const silent = f.client()
  const deaf = f.client()
  deaf.stalls = true
  const bad = f.client()
  const good = f.client()
  for (let n = 2; n <= 51; n++) {
    bad.say(Buffer.from([0xff, n, n]))
    await f.put(f.kubes[0]!, ...web(0, [n]))
    expect([n, good.told()]).toEqual([n, [`eds ${cluster}`]])
    good.ack("endpoint", [cluster])
  }
  expect(bad.failures).toEqual([expect.stringMatching(/^INVALID_ARGUMENT: expected a discovery request, found bytes that are none/)])
  expect([bad.received, silent.told().length, deaf.told().length, f.hub.sessions.size]).toEqual([[], 50, 4, 3])
  for (const session of f.hub.sessions) expect(session.waiting).toBeLessThanOrEqual(1)
  deaf.stalls = false
  for (const left of deaf.stalled.splice(0)) left()
  expect(deaf.told()).toEqual([`eds ${cluster}`])
})

test("a node without an id is refused with a reason, and nothing of it is kept", async () => {
  await using f = await setUp("east")
  const anonymous = new RawClient(f.hub, { node: { userAgentName: "envoy" }, streams: f.streams })
  anonymous.ask("endpoint", [cluster])
  expect(anonymous.failures).toEqual([
    "INVALID_ARGUMENT: expected a node with an id in the first request, found none; set node.id in the bootstrap",
  ])
  expect([anonymous.received, f.hub.sessions.size]).toEqual([[], 0])
})

test("10,000 endpoints in one Service: one that goes is one response, and only its slice was read again", async () => {
  await using f = await setUp("east")
  const [kube] = f.kubes as [TestKube]
  const slices = Array.from({ length: 100 }, (_, at) => {
    const endpoints = Array.from({ length: 100 }, (_, n) => ({ ip: `10.${at + 10}.0.${n}` }))
    return kubeSlice(`shop/web-${at}`, { endpoints })
  })
  await f.put(kube, ...slices)
  const client = f.client()
  const other = new RawClient(f.hub, { streams: f.streams })
  other.ask("endpoint", ["outbound|80||other.shop.svc.cluster.local"])
  other.told()
  const before = new Set(f.all.endpoints(host))
  await f.put(kube, kubeSlice("shop/web-0", { endpoints: Array.from({ length: 99 }, (_, n) => ({ ip: `10.10.0.${n}` })) }))
  expect([client.told(), other.told(), f.all.endpoints(host).length]).toEqual([[`eds ${cluster}`], [], 10_000])
  expect(f.all.endpoints(host).filter((endpoint) => !before.has(endpoint))).toEqual([])
})
