import { readFileSync } from "node:fs"
import { join } from "node:path"
import { memoryMetrics, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { StaticRegistry } from "../registry/static-registry.ts"
import { RawClient } from "../testing/raw-client.ts"
import { testEndpoint, testService } from "../testing/samples.ts"
import { messages } from "../wire/messages.ts"
import { Hub } from "./hub.ts"
import { pushMetrics } from "./push-metrics.ts"

const web = "web.shop.svc.cluster.local"
const cluster = `outbound|8080||${web}`

function setUp() {
  const clock = new VirtualClock()
  const registry = new StaticRegistry()
  const metrics = memoryMetrics()
  registry.put(testService("web"))
  const hub = new Hub({ registry, clock, metrics })
  return { clock, registry, metrics, client: new RawClient(hub), hub }
}

test("what the registry tells is counted by type", async () => {
  const { registry, metrics } = setUp()
  registry.put(testService("api"))
  registry.putEndpoints(web, [testEndpoint("10.0.0.1", 80)])
  registry.putGateways([])
  registry.remove("api.shop.svc.cluster.local")
  const count = (type: string) => metrics.value("pilot_inbound_updates", { type })
  expect(["svc", "eds", "config", "svcdelete"].map(count)).toEqual([1, 1, 1, 1])
})

test("an answer to an older response is counted; one to the newest is not", async () => {
  const { registry, metrics, client } = setUp()
  const expired = () => metrics.value("pilot_xds_expired_nonce", { type: "eds" })
  client.ask("endpoint", [cluster])
  client.ack("endpoint", [cluster])
  const before = expired()
  registry.putEndpoints(web, [testEndpoint("10.0.0.1", 80)])
  await Promise.resolve()
  client.ask("endpoint", [cluster], { nonce: "1" })
  expect([before, expired()]).toEqual([0, 1])
})

test("how long a change waited for its client, and a response for the connection", async () => {
  const { clock, registry, metrics, client } = setUp()
  client.ask("endpoint", [cluster])
  client.stalls = true
  for (let index = 0; index < 5; index++) {
    registry.putEndpoints(web, [testEndpoint(`10.0.0.${index}`, 80)])
    await clock.settle()
  }
  await clock.advance("2s")
  for (const left of client.stalled.splice(0)) left()
  const told = metrics.text()
  expect(told).toMatch(/^pilot_proxy_queue_time_sum 2$/m)
  expect(told).toMatch(/^pilot_proxy_queue_time_count 5$/m)
  expect(told).toMatch(/^pilot_xds_send_time_sum 8$/m)
})

test("a fault of the server ends the stream as INTERNAL, and is counted; a fault of the client is not", () => {
  const { metrics, client, hub } = setUp()
  client.ask("endpoint", [cluster])
  client.say(Buffer.from([0xff, 0xff]))
  expect(metrics.value("pilot_total_xds_internal_errors")).toBe(0)
  const broken = new RawClient(hub)
  hub.caches.envoy.find = () => {
    throw new Error("a fault")
  }
  broken.ask("endpoint", [cluster])
  expect([broken.failures, metrics.value("pilot_total_xds_internal_errors")]).toEqual([["INTERNAL: a fault"], 1])
})

test("the largest request so far", () => {
  const { metrics, client } = setUp()
  const largest = () => metrics.value("pilot_xds_recv_max")
  const request = Buffer.from(messages.discoveryRequest.encode({ node: { id: "n" }, typeUrl: "x", resourceNames: ["a".repeat(200)] }))
  client.say(request)
  expect(largest()).toBe(request.length)
  client.ask("endpoint", [])
  expect(largest()).toBe(request.length)
  client.say(Buffer.alloc(request.length + 1, 0xff))
  expect(largest()).toBe(request.length + 1)
})

test("clusters that have no endpoint are counted, by port", () => {
  const { registry, metrics } = setUp()
  const empty = () => metrics.value("pilot_eds_no_instances")
  const ports = [
    { name: "http", port: 8080, protocol: "HTTP" },
    { name: "tcp", port: 9090, protocol: "TCP" },
    { name: "dns", port: 53, protocol: "UDP" },
  ] as const
  registry.put(testService("web", { ports }))
  expect(empty()).toBe(2)
  registry.putEndpoints(web, [testEndpoint("10.0.0.1", 80, { portName: "http" })])
  expect(empty()).toBe(1)
  registry.putEndpoints(web, [testEndpoint("10.0.0.1", 80, { portName: "http", health: "unhealthy" })])
  expect(empty()).toBe(2)
  registry.put(testService("web", { ports, distribution: "same-zone" }))
  expect(empty()).toBe(1)
  registry.put(testService("out", { resolution: "dns", externalName: "example.org" }))
  expect(empty()).toBe(1)
  registry.remove(web)
  expect(empty()).toBe(0)
})

test("clusters that were empty at the start are counted when everything has been read", () => {
  const { registry, metrics } = setUp()
  registry.putGateways([])
  expect(metrics.value("pilot_eds_no_instances")).toBe(1)
})

test("docs/reference/metrics.md has exactly the metrics of the xDS server, with their type, labels and meaning", () => {
  const metrics = memoryMetrics()
  const push = pushMetrics(metrics)
  push.sent("cluster", 1)
  for (const kind of ["cluster", "endpoint", "listener", "route"] as const) push.rejected(kind)
  push.triggered("service")
  push.streams(1)
  push.services(1)
  push.converged(1)
  push.debounced(1)
  push.made("cluster", 1)
  push.written(1)
  push.queued(1)
  push.expired("cluster")
  push.internalError()
  push.rejectedClient("silent")
  push.inbound("eds")
  push.received(1)
  push.emptyClusters(1)
  push.strangers(1)
  const families = metrics
    .text()
    .split("# HELP ")
    .slice(1)
    .map((family) => {
      const [, name, meaning, type, sample = ""] = /^(\S+) (.*)\n# TYPE \S+ (\S+)\n(.*)/.exec(family) ?? []
      const labels = [...sample.matchAll(/(\w+)="/g)].map(([, label]) => label).filter((label) => label !== "le")
      return `| \`${name}\` | ${type} | ${labels.join(", ")} | ${meaning} |`
    })
  const text = readFileSync(join(import.meta.dirname, "../../../../docs/reference/metrics.md"), "utf8")
  const [, section = ""] = text.split("\n### xDS server\n")
  const [table = ""] = section.split("\n### ")
  expect(table.split("\n").filter((line) => line.startsWith("| `"))).toEqual(families)
})
