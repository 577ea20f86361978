import { mkdtempSync, rmSync } from "node:fs"
import { networkInterfaces, tmpdir } from "node:os"
import { join } from "node:path"
import * as grpc from "@grpc/grpc-js"
import { memoryMetrics, VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { Hub } from "../push/hub.ts"
import { StaticRegistry } from "../registry/static-registry.ts"
import { testEndpoint, testService } from "../testing/samples.ts"
import { messages } from "../wire/messages.ts"
import { typeUrls } from "../xds/kinds.ts"
import { serveXds } from "./grpc-edge.ts"
import { listenHttp2 } from "./http2-server.ts"

const host = "web.shop.svc.cluster.local"
const asIs = (bytes: Buffer) => bytes
const gzip = { "grpc.default_compression_algorithm": 2 }

function testHub(): Hub {
  const registry = new StaticRegistry()
  registry.put(testService("web"))
  registry.putEndpoints(host, [testEndpoint("10.0.0.1", 80)])
  return new Hub({ registry, clock: new VirtualClock(), metrics: memoryMetrics() })
}

/** A call of the library's, with one request under way. */
function call(address: string, options: grpc.ClientOptions = {}, named = 1) {
  const client = new grpc.Client(address, grpc.credentials.createInsecure(), options)
  const stream = client.makeBidiStreamRequest(
    "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources",
    asIs,
    asIs,
    new grpc.Metadata(),
  )
  const resourceNames = [`outbound|8080||${host}`, ...Array.from({ length: named - 1 }, (_, at) => `another-cluster-of-many-${at}`)]
  stream.write(Buffer.from(messages.discoveryRequest.encode({ node: { id: "n1" }, typeUrl: typeUrls.endpoint, resourceNames })))
  stream.on("error", () => undefined)
  const first = new Promise<void>((resolve) => stream.once("data", () => resolve()))
  const status = new Promise<string>((resolve) => {
    stream.on("status", ({ code, details }: grpc.StatusObject) => resolve(`${grpc.status[code]}: ${details}`))
  })
  const dispose = () => {
    stream.cancel()
    client.close()
  }
  return { stream, first, status, [Symbol.dispose]: dispose }
}

test("a client that has ended its requests gets OK, after what it asked for", async () => {
  await using served = await serveXds({ hub: testHub() })
  using client = call(served.address)
  client.stream.end()
  await client.first
  expect(await client.status).toBe("OK: ")
})

test("a compressed request of many names is read", async () => {
  const hub = testHub()
  await using served = await serveXds({ hub })
  using client = call(served.address, gzip, 1_000)
  await client.first
  const [session] = hub.sessions
  expect(session!.watches.endpoint.names.size).toBe(1_000)
})

test("clients of a server that ends get UNAVAILABLE, and nothing is left of them", async () => {
  const hub = testHub()
  const served = await serveXds({ hub })
  using one = call(served.address)
  using two = call(served.address, { "grpc.use_local_subchannel_pool": 1 })
  await Promise.all([one.first, two.first])
  await served.close()
  expect(hub.sessions.size).toBe(0)
  expect([await one.status, await two.status]).toEqual([expect.stringMatching(/^UNAVAILABLE: /), expect.stringMatching(/^UNAVAILABLE: /)])
})

test("a path of this machine can be listened on, and its own address of IPv6", async () => {
  const directory = mkdtempSync(join(tmpdir(), "xds-"))
  try {
    for (const where of [`unix:${join(directory, "socket")}`, ...(hasIpv6() ? ["::1"] : [])]) {
      await using served = await serveXds({ hub: testHub(), host: where })
      expect(served.address).toMatch(where === "::1" ? /^\[::1\]:\d+$/ : /^unix:.*socket$/)
      using client = call(served.address)
      await client.first
    }
  } finally {
    rmSync(directory, { recursive: true })
  }
})

/** Some containers have none. */
function hasIpv6(): boolean {
  return Object.values(networkInterfaces()).some((addresses) => addresses?.some(({ address }) => address === "::1"))
}

test("a connection that could not be accepted is logged, and the others go on", async () => {
  const faults: string[] = []
  const onFault = (fault: string, why: string) => void faults.push(`${fault}: ${why}`)
  const bounds = { maximumConnections: 10, streamsPerConnection: 10, keepalive: { time: 600_000, timeout: 1 } }
  const listening = await listenHttp2({ host: "127.0.0.1", port: 0, ...bounds, onFault })
  listening.server.emit("error", new Error("no more files"))
  expect(faults).toEqual(["accept: no more files"])
  await listening.close()
})
