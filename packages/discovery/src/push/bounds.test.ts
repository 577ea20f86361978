import { memoryMetrics, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { StaticRegistry } from "../registry/static-registry.ts"
import { ChangeTraces } from "../session/change-trace.ts"
import { Pending } from "../session/pending.ts"
import { SentLog } from "../session/sent-log.ts"
import { RawClient } from "../testing/raw-client.ts"
import { testEndpoint, testService } from "../testing/samples.ts"
import { Hub } from "./hub.ts"

const web = "web.shop.svc.cluster.local"
const cluster = `outbound|8080||${web}`
const million = 1024 * 1024

function setUp() {
  const clock = new VirtualClock()
  const registry = new StaticRegistry()
  registry.put(testService("web"))
  registry.putEndpoints(web, [testEndpoint("10.0.0.1", 80)])
  return { clock, registry, hub: new Hub({ registry, clock, metrics: memoryMetrics() }) }
}

test("a client that never accepts anything costs no more after a thousand changes than after a hundred", async () => {
  const { registry, hub } = setUp()
  const client = new RawClient(hub)
  client.ask("endpoint", [cluster])
  const [session] = hub.sessions
  for (let index = 0; index < 1_000; index++) {
    registry.putEndpoints(web, [testEndpoint(`10.1.${index >> 8}.${index & 255}`, 80)])
    await Promise.resolve()
  }
  expect([session!.log.of("endpoint").responses, session!.waiting]).toEqual([1_001, 0])
  // The ACK of the newest stands for all that are remembered.
  expect(session!.log.judged("endpoint", { is: "ack", nonce: "1001" }, 0)).toHaveLength(32)
})

test("of what was sent and not judged the newest 32 responses are remembered", () => {
  const log = new SentLog()
  const traces = new ChangeTraces(new VirtualClock())
  const sent = Array.from({ length: 100 }, (_, at) => ({ nonce: String(at + 1), trace: traces.begin("endpoints", String(at)) }))
  for (const { nonce, trace } of sent) log.sent("endpoint", { nonce, at: 0, bytes: 1, traces: [trace] })
  expect(log.judged("endpoint", { is: "ack", nonce: "100" }, 0)).toEqual(sent.slice(-32).map(({ trace }) => trace))
})

test("of what waits each name is kept once, with at most 64 of the changes behind it", () => {
  const pending = new Pending()
  const traces = new ChangeTraces(new VirtualClock())
  for (let at = 0; at < 100; at++) pending.add("endpoint", cluster, traces.begin("endpoints", web))
  expect(pending.size).toBe(1)
  expect(pending.take("endpoint")?.traces).toHaveLength(64)
})

test("by delta a client that asks for more and more gets an error when it is too much; what it gave up does not count", () => {
  const { hub } = setUp()
  const client = new RawClient(hub, { protocol: "delta" })
  const name = (at: number) => `${at}${"x".repeat(million)}`
  for (let at = 0; at < 30; at++) client.ask("endpoint", [name(at)], { unsubscribe: at === 0 ? [] : [name(at - 1)] })
  expect(client.failures).toEqual([])
  for (let at = 100; at < 116; at++) client.ask("endpoint", [name(at)])
  expect(client.failures).toEqual([
    "RESOURCE_EXHAUSTED: expected names of at most 16777216 characters in one stream, found more; subscribe to fewer",
  ])
  expect(hub.sessions.size).toBe(0)
})

test("equal content for different namespaces is one resource, and is counted once", () => {
  const { hub } = setUp()
  const found = ["shop", "other", "third"].map((namespace) => {
    const client = new RawClient(hub, { node: { id: `sidecar~127.0.0.1~c.${namespace}~x` } })
    client.ask("cluster", [])
    const [session] = [...hub.sessions].slice(-1)
    return hub.offerTo(session!, "cluster").find(cluster)
  })
  expect(found[0]).toBeDefined()
  expect([found[1] === found[0], found[2] === found[0]]).toEqual([true, true])
  expect(hub.caches.envoy.sizes().cluster.entries).toBe(3)
})
