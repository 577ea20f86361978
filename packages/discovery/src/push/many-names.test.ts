import { memoryMetrics, VirtualClock } from "@pilothouse/seams"
import { expect, test, vi } from "vitest"
import { Assignments } from "../generators/assignments.ts"
import { StaticRegistry } from "../registry/static-registry.ts"
import { Responses } from "../session/responses.ts"
import type { Session } from "../session/session.ts"
import { RawClient } from "../testing/raw-client.ts"
import { testEndpoint, testService } from "../testing/samples.ts"
import { Resource } from "../xds/resource.ts"
import { SessionsByName } from "./change-fanout.ts"
import { Hub, type HubOptions } from "./hub.ts"

const web = "web.shop.svc.cluster.local"
const cluster = `outbound|8080||${web}`

function setUp(subscriptionLimits?: HubOptions["subscriptionLimits"]) {
  const registry = new StaticRegistry()
  registry.put(testService("web"))
  registry.putEndpoints(web, [testEndpoint("10.0.0.1", 80)])
  const hub = new Hub({ registry, clock: new VirtualClock(), metrics: memoryMetrics(), ...(subscriptionLimits && { subscriptionLimits }) })
  return { registry, hub }
}

const turn = () => new Promise<void>((resolve) => void setImmediate(resolve))
const madeUp = (count: number, prefix = "made-up-") => Array.from({ length: count }, (_, at) => `${prefix}${at}`)

test.each(["sotw", "delta"] as const)(
  "%s: many names are answered in turns, a thousand in each, and each is rendered once",
  async (protocol) => {
    const { hub } = setUp()
    using rendering = vi.spyOn(Assignments.prototype, "render")
    const client = new RawClient(hub, { protocol })
    const names = [...madeUp(4_499), cluster]
    client.ask("endpoint", names)
    const counts = []
    for (let at = 0; at < 5; at++) {
      counts.push(rendering.mock.calls.length)
      await turn()
    }
    expect(counts).toEqual([1_000, 2_000, 3_000, 4_000, 4_500])
    expect(client.received.map((response) => response.names.length)).toEqual([1_000, 1_000, 1_000, 1_000, 500])
    expect(new Set(client.received.flatMap((response) => response.names))).toEqual(new Set(names))
    expect([client.failures, [...hub.sessions][0]!.waiting]).toEqual([[], 0])
  },
)

test("the turns are shared: of two clients with many names one is answered in each", async () => {
  const { hub } = setUp()
  const clients = [new RawClient(hub), new RawClient(hub)]
  for (const client of clients) client.ask("endpoint", madeUp(3_000))
  const counts = []
  for (let at = 0; at < 5; at++) {
    counts.push(clients.map(({ received }) => received.length))
    await turn()
  }
  expect(counts).toEqual([
    [1, 1],
    [2, 1],
    [2, 2],
    [3, 2],
    [3, 3],
  ])
})

test("delta: of many clusters those that do not exist are answered as removed", async () => {
  const { hub } = setUp()
  const client = new RawClient(hub, { protocol: "delta" })
  client.ask("cluster", [...madeUp(1_500), cluster])
  await turn()
  expect(client.received.flatMap(({ names }) => names)).toEqual([cluster])
  expect(client.received.flatMap(({ removed }) => removed)).toEqual(madeUp(1_500))
})

test("requests do not hurry what is sent in turns, and names that were given up are not sent", async () => {
  const { hub } = setUp()
  const client = new RawClient(hub, { protocol: "delta" })
  client.ask("endpoint", madeUp(5_000))
  for (let at = 0; at < 10; at++) client.ask("endpoint", [], { nonce: client.received[0]!.nonce })
  expect(client.received).toHaveLength(1)
  client.ask("endpoint", [], { unsubscribe: madeUp(5_000) })
  for (let at = 0; at < 5; at++) await turn()
  expect(client.received).toHaveLength(1)
})

test.each(["sotw", "delta"] as const)(
  "%s: a request with more names than a stream may have is refused before anything is made of it",
  (protocol) => {
    const { hub } = setUp({ perStream: 2_000 })
    using rendering = vi.spyOn(Assignments.prototype, "render")
    const client = new RawClient(hub, { protocol })
    client.ask("endpoint", madeUp(2_001))
    expect(client.failures).toEqual([
      "RESOURCE_EXHAUSTED: expected at most 2000 names in one stream, found more; subscribe to fewer, or use several streams",
    ])
    expect([rendering.mock.calls.length, hub.sessions.size]).toEqual([0, 0])
  },
)

test("delta: names of several requests and kinds count together, until they are given up", () => {
  const { hub } = setUp({ perStream: 100 })
  const client = new RawClient(hub, { protocol: "delta" })
  client.ask("endpoint", madeUp(60))
  client.ask("route", madeUp(40))
  client.ask("route", madeUp(10, "other-"), { unsubscribe: madeUp(10) })
  expect(client.failures).toEqual([])
  client.ask("listener", ["one-more"])
  expect(client.failures).toHaveLength(1)
})

test("names of all streams are limited; a client with few is served all the same, and what a client that left had is free again", () => {
  const { hub } = setUp({ total: 1_000, guaranteed: 10 })
  const [first, second, small] = [new RawClient(hub), new RawClient(hub), new RawClient(hub)]
  first.ask("endpoint", madeUp(1_010))
  second.ask("endpoint", madeUp(11))
  expect(second.failures).toEqual([
    "RESOURCE_EXHAUSTED: expected at most 1000 names in all streams of this server, found more; subscribe to at most 10, or try another replica",
  ])
  small.ask("endpoint", [cluster, ...madeUp(9)])
  expect([small.failures, small.received.length]).toEqual([[], 1])
  first.end()
  const third = new RawClient(hub)
  third.ask("endpoint", madeUp(1_010))
  expect(third.failures).toEqual([])
})

test("a large response is shared by the streams of one change, and not kept after it", () => {
  const responses = new Responses()
  const resource = new Resource("endpoint", "large", [Buffer.alloc(1024 * 1024)])
  const content = { protocol: "sotw", kind: "endpoint", resources: [resource], removed: [] } as const
  const [one, other] = [responses.of(content, 0), responses.of(content, 0)]
  expect(one.bytes).toBe(other.bytes)
  expect(responses.retainedBytes).toBe(0)
  responses.of({ ...content, resources: [new Resource("endpoint", "small", [Buffer.alloc(1024)])] }, 0)
  expect(responses.retainedBytes).toBeLessThan(2_000)
})

test.each(["sotw", "delta"] as const)("%s: a request that exchanges 45,000 names changes 5,000 of them in each turn", (protocol) => {
  const { hub } = setUp()
  const client = new RawClient(hub, { protocol })
  const [before, after] = [madeUp(45_000, "a-"), madeUp(45_000, "b-")]
  client.ask("endpoint", before)
  client.takesTurns = true
  client.ask("endpoint", after, { unsubscribe: before })
  const { names } = [...hub.sessions][0]!.watches.endpoint
  const sizes = [names.size]
  while (client.proceed()) sizes.push(names.size)
  const steps = sizes.map((size, at) => Math.abs(size - (sizes[at - 1] ?? size)))
  expect(Math.max(...steps)).toBe(5_000)
  expect([Math.max(...sizes), Math.min(...sizes), new Set(names)]).toEqual([45_000, 0, new Set(after)])
})

test("delta: of many names that a client holds those that are as it has them are not sent again", async () => {
  const { hub } = setUp()
  const first = new RawClient(hub, { protocol: "delta" })
  first.ask("endpoint", [cluster])
  const { name, version } = first.received[0]!.resources[0]!
  const client = new RawClient(hub, { protocol: "delta" })
  client.ask("endpoint", [cluster, ...madeUp(12_000)], { initial: { [name]: version, "not-wanted": "1" } })
  while ([...hub.sessions].some(({ waiting }) => waiting > 0)) await turn()
  expect(client.received.flatMap(({ names }) => names)).not.toContain(cluster)
  const { sentVersions } = [...hub.sessions][1]!.watches.endpoint
  expect([sentVersions.get(name), sentVersions.has("not-wanted"), sentVersions.size]).toEqual([version, false, 12_001])
})

test("the names of streams that end together are released 25,000 in each turn, and count until then", async () => {
  const { hub } = setUp({ total: 100_000, guaranteed: 0 })
  const clients = [new RawClient(hub), new RawClient(hub)]
  for (const [at, client] of clients.entries()) client.ask("endpoint", madeUp(50_000, `${at}-`))
  for (const client of clients) client.end()
  expect(hub.sessions.size).toBe(0)
  const served = () => {
    const client = new RawClient(hub)
    client.ask("endpoint", madeUp(50_000))
    return client.failures.length === 0
  }
  const answers = []
  for (let at = 0; at < 3; at++) {
    answers.push(served())
    await turn()
  }
  expect(answers).toEqual([false, false, true])
})

test("a stream that is over is sent nothing, though its names are still being released", async () => {
  const { hub, registry } = setUp()
  const client = new RawClient(hub)
  client.ask("endpoint", [...madeUp(45_000), cluster])
  while ([...hub.sessions][0]!.waiting > 0) await turn()
  client.end()
  const before = client.received.length
  registry.putEndpoints(web, [testEndpoint("10.0.0.9", 80)])
  await turn()
  expect(client.received).toHaveLength(before)
})

test("two million names are spread over maps of which none has more than some thousands", () => {
  const index = new SessionsByName()
  const session = {} as Session
  for (const name of madeUp(256_000, "outbound|80||h")) index.add(name, session)
  expect(index.largestShard).toBeLessThan(2_000)
  for (const name of madeUp(256_000, "outbound|80||h")) index.delete(name, session)
  expect(index.largestShard).toBe(0)
})
