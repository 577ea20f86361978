import { memoryMetrics, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { Hub } from "../push/hub.ts"
import { StaticRegistry } from "../registry/static-registry.ts"
import { Streams } from "../server/streams.ts"
import { testEndpoint, testService } from "../testing/samples.ts"
import { AdsConversation, isClusterOf } from "./watch-host.ts"
import type { WatchedEndpoint } from "./watched-endpoints.ts"

const web = "web.shop.svc.cluster.local"
const grace = 300

function setUp() {
  const clock = new VirtualClock()
  const registry = new StaticRegistry()
  registry.put(testService("web"))
  registry.putEndpoints(web, [testEndpoint("10.0.0.1", 80)])
  const hub = new Hub({ registry, clock, metrics: memoryMetrics(), grace })
  const known = new Map<string, readonly WatchedEndpoint[]>()
  const told: string[] = []
  /** A stream to the hub without a socket, by which the conversation goes. */
  const open = () => {
    const stream = new Streams({ hub, maximum: 10 }).open("sotw", {
      write: (bytes, done) => {
        conversation.take(bytes)
        done()
      },
      fail: (_status, message) => void told.push(`failed: ${message}`),
    })
    const conversation = new AdsConversation(
      {
        node: { id: "sidecar~127.0.0.1~c1.shop~shop.svc.cluster.local", metadata: { NAMESPACE: "shop" } },
        isWanted: (cluster) => isClusterOf(cluster, "web.shop"),
        send: (bytes) => stream?.message(bytes),
        onChange: ({ what, endpoint }) => void told.push(`${what} ${endpoint.address} ${endpoint.health} ${endpoint.locality}`),
        onClusters: (names) => void told.push(`clusters ${names.join()}`),
      },
      known,
    )
    conversation.begin()
    return stream
  }
  return { clock, registry, told: () => told.splice(0), open }
}

test("reports what is there, and every change after it", async () => {
  const { clock, registry, told, open } = setUp()
  open()
  expect(told()).toEqual([`clusters outbound|8080||${web}`, "came 10.0.0.1:80 HEALTHY r1/z1"])
  registry.putEndpoints(web, [testEndpoint("10.0.0.1", 80, { health: "draining" }), testEndpoint("10.0.0.2", 80)])
  await clock.advance(0)
  expect(told()).toEqual(["came 10.0.0.2:80 HEALTHY r1/z1", "changed 10.0.0.1:80 DRAINING r1/z1"])
  registry.putEndpoints(web, [testEndpoint("10.0.0.2", 80)])
  await clock.advance(0)
  expect(told()).toEqual(["went 10.0.0.1:80 DRAINING r1/z1"])
})

test("a service that goes takes its endpoints along, and is found again when it comes back", async () => {
  const { clock, registry, told, open } = setUp()
  open()
  told()
  registry.remove(web)
  await clock.advance(2 * grace)
  expect(told()).toEqual(["went 10.0.0.1:80 HEALTHY r1/z1", "clusters "])
  registry.put(testService("web"))
  registry.putEndpoints(web, [testEndpoint("10.0.0.3", 80)])
  await clock.advance(grace)
  expect(told()).toEqual([`clusters outbound|8080||${web}`, "came 10.0.0.3:80 HEALTHY r1/z1"])
})

test("a stream that is opened again tells only what has changed meanwhile", () => {
  const { registry, told, open } = setUp()
  open()?.end()
  told()
  registry.putEndpoints(web, [testEndpoint("10.0.0.1", 80), testEndpoint("10.0.0.2", 80)])
  expect(told()).toEqual([])
  open()
  expect(told()).toEqual([`clusters outbound|8080||${web}`, "came 10.0.0.2:80 HEALTHY r1/z1"])
})

test("what was removed while there was no stream is reported when there is one again", async () => {
  const { clock, registry, told, open } = setUp()
  open()?.end()
  told()
  registry.remove(web)
  await clock.advance(2 * grace)
  open()
  expect(told()).toEqual(["went 10.0.0.1:80 HEALTHY r1/z1", "clusters "])
})

test.each([
  ["the whole name", web, undefined, true],
  ["a leading part", "web", undefined, true],
  ["half a part", "we", undefined, false],
  ["another service", "web.other", undefined, false],
  ["its port", "web.shop", 8080, true],
  ["another port", "web.shop", 80, false],
])("of a cluster is %s: %s", (_title, hostname, port, expected) => {
  expect(isClusterOf(`outbound|8080||${web}`, hostname, port)).toBe(expected)
})
