import { once } from "node:events"
import { connect } from "node:net"
import { connect as connectTls } from "node:tls"
import { type MemoryMetrics, memoryMetrics, recordingLog, VirtualClock } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { Hub } from "../push/hub.ts"
import { StaticRegistry } from "../registry/static-registry.ts"
import { certificates } from "../testing/certificates.ts"
import { FrameClient, type FrameClientOptions, frames } from "../testing/frame-client.ts"
import { testEndpoint, testService } from "../testing/samples.ts"
import { messages } from "../wire/messages.ts"
import { typeUrls } from "../xds/kinds.ts"
import { serveXds } from "./grpc-edge.ts"

const host = "web.shop.svc.cluster.local"
const asking = (node: object = { id: "n1" }) =>
  messages.discoveryRequest.encode({ node, typeUrl: typeUrls.endpoint, resourceNames: [`outbound|8080||${host}`] })
const long = { time: 600_000, timeout: 600_000 }
const refusedClients = (metrics: MemoryMetrics, reason: string) => metrics.value("pilot_xds_refused_clients", { reason })

function setUp() {
  const registry = new StaticRegistry()
  const metrics = memoryMetrics()
  registry.put(testService("web"))
  registry.putEndpoints(host, [testEndpoint("10.0.0.1", 80)])
  return { registry, metrics, hub: new Hub({ registry, clock: new VirtualClock(), metrics }) }
}

const portOf = (address: string) => Number(address.split(":").at(-1))

async function plainClient(address: string, options?: FrameClientOptions): Promise<FrameClient> {
  const socket = connect(portOf(address), "127.0.0.1")
  await once(socket, "connect")
  return new FrameClient(socket, options)
}

async function secureClient(address: string): Promise<FrameClient> {
  const socket = connectTls({ port: portOf(address), host: "127.0.0.1", rejectUnauthorized: false, ALPNProtocols: ["h2"] })
  await once(socket, "secureConnect")
  return new FrameClient(socket)
}

const pair = { certificate: certificates.serverCertificate, key: certificates.serverKey }

/** A server that asks who its clients are, and is answered when the test says so. */
async function asksWho(maximumStreams?: number) {
  const asked: ((problem?: string) => void)[] = []
  const authenticate = () => new Promise<string | undefined>((resolve) => void asked.push(resolve))
  const { hub, metrics } = setUp()
  const served = await serveXds({ hub, tls: { ...pair, authenticate }, maximumStreams, keepalive: long })
  return { served, asked, hub, metrics }
}

describe("a connection", () => {
  test("whose client said that it goes and then fell silent is given up too", async () => {
    const { hub, metrics } = setUp()
    await using served = await serveXds({ hub, keepalive: { time: 20, timeout: 20 } })
    using client = await plainClient(served.address, { answers: false })
    client.say(frames.call(1), frames.message(1, asking()), frames.goaway())
    await client.saw("closed")
    expect([hub.sessions.size, refusedClients(metrics, "silent")]).toEqual([0, 1])
  })

  test("without a finished handshake is closed with the server, which waits for that", async () => {
    const { served } = await asksWho()
    const bare = connect(portOf(served.address), "127.0.0.1")
    await once(bare, "connect")
    // One that came later has been taken: so was this.
    using later = await secureClient(served.address)
    const gone = Promise.all([once(bare, "close"), later.saw("closed")])
    await served.close()
    await gone
    await served.close()
  })

  test("ends with the server, however slow its client is", async () => {
    const { hub } = setUp()
    const served = await serveXds({ hub, keepalive: long })
    using client = await plainClient(served.address, { window: 0 })
    client.say(frames.call(1), frames.message(1, asking()))
    await client.saw("HEADERS#1")
    await served.close()
    await client.saw("closed")
    expect(client.seen).toContain("GOAWAY#0 0")
    expect(hub.sessions.size).toBe(0)
  })

  test("that is none of TLS is counted, and a line says why", async () => {
    const { hub, metrics } = setUp()
    const { log, lines } = recordingLog()
    await using served = await serveXds({ hub, log, tls: { ...pair, authenticate: async () => undefined } })
    const stranger = connect(portOf(served.address), "127.0.0.1").on("error", () => undefined)
    stranger.end("GET / HTTP/1.1\r\n\r\n").resume()
    await once(stranger, "close")
    expect(refusedClients(metrics, "handshake")).toBe(1)
    expect(lines).toMatchObject([{ level: "debug", message: "a client was refused", fields: { fault: "handshake" } }])
  })
})

describe("a stream whose end was sent stays ended", () => {
  test.each([
    ["an unknown method", frames.call(3, "/nothing"), "HEADERS#3 end"],
    ["another content", frames.call(3, "/", { "content-type": "text/html" }), "HEADERS#3 end"],
    ["one too many", frames.call(3), "HEADERS#3 end"],
  ])("%s", async (_title, call, expected) => {
    await using served = await serveXds({ hub: setUp().hub, maximumStreams: 1, keepalive: long })
    using client = await plainClient(served.address)
    client.say(frames.call(1), frames.message(1, asking()), call, frames.message(3, Buffer.alloc(10)))
    await client.saw("RST#3 0")
    expect(client.seen.filter((one) => one.includes("#3"))).toEqual([expected, "RST#3 0"])
  })

  test("after messages", async () => {
    await using served = await serveXds({ hub: setUp().hub, keepalive: long })
    using client = await plainClient(served.address)
    client.say(frames.call(1), frames.message(1, asking()), frames.message(1, Buffer.of(0xff)))
    await client.saw("RST#1 0")
    expect(client.seen).toEqual(["HEADERS#1", "DATA#1", "HEADERS#1 end", "RST#1 0"])
  })

  test("with a text that is far too long for a header, and the connection goes on", async () => {
    await using served = await serveXds({ hub: setUp().hub, keepalive: long })
    using client = await plainClient(served.address)
    client.say(frames.call(1, `/${"é".repeat(7_500)}`))
    await client.saw("RST#1 0")
    client.say(frames.call(3), frames.message(3, asking()))
    await client.saw("DATA#3")
    expect(client.seen).toEqual(["HEADERS#1 end", "RST#1 0", "HEADERS#3", "DATA#3"])
  })

  test("but not where the client ended it first", async () => {
    await using served = await serveXds({ hub: setUp().hub, keepalive: long })
    using client = await plainClient(served.address)
    client.say(frames.call(1), frames.message(1, asking(), true))
    await client.saw("HEADERS#1 end")
    await client.caughtUp()
    expect(client.seen.filter((one) => one.includes("#1"))).toEqual(["HEADERS#1", "DATA#1", "HEADERS#1 end"])
  })
})

describe("a client that takes nothing", () => {
  test("holds its place, though it has said everything", async () => {
    const { hub, metrics } = setUp()
    await using served = await serveXds({ hub, maximumStreams: 1, keepalive: long })
    using client = await plainClient(served.address, { window: 0 })
    client.say(frames.call(1), frames.message(1, asking(), true))
    await client.saw("HEADERS#1")
    await client.caughtUp()
    client.say(frames.call(3))
    await client.saw("HEADERS#3 end")
    expect([hub.sessions.size, refusedClients(metrics, "limit")]).toEqual([0, 1])
    client.say(frames.takeMore(1, 65_535))
    await client.saw("HEADERS#1 end")
    await client.caughtUp()
    client.say(frames.call(5), frames.message(5, asking()))
    await client.saw("HEADERS#5")
  })

  test("does not hold it for ever", async () => {
    await using served = await serveXds({ hub: setUp().hub, maximumStreams: 1, keepalive: { time: 600_000, timeout: 20 } })
    using client = await plainClient(served.address, { window: 0 })
    client.say(frames.call(1), frames.message(1, asking(), true))
    await client.saw("RST#1 0")
    await client.caughtUp()
    client.say(frames.call(3), frames.message(3, asking()))
    await client.saw("HEADERS#3")
  })

  test("gets four responses, and the newest when it takes more", async () => {
    const { hub, registry } = setUp()
    await using served = await serveXds({ hub, keepalive: long })
    using client = await plainClient(served.address, { window: 0 })
    client.say(frames.call(1), frames.message(1, asking()))
    await client.saw("HEADERS#1")
    const [session] = hub.sessions
    for (let turn = 1; turn < 10; turn++) {
      registry.putEndpoints(host, [testEndpoint(`10.0.0.${turn}`, 80)])
      await client.caughtUp()
    }
    expect([session!.blocked, session!.waiting, client.seen.includes("DATA#1")]).toEqual([true, 1, false])
    client.say(frames.takeMore(1, 65_535))
    await client.saw("DATA#1")
    await client.caughtUp()
    expect([session!.blocked, session!.waiting]).toEqual([false, 0])
  })
})

describe("before a client is let in", () => {
  test("its streams have their places, and those that come together are asked about once", async () => {
    const { served, asked, hub, metrics } = await asksWho(2)
    await using _served = served
    using client = await secureClient(served.address)
    client.say(frames.call(1), frames.message(1, asking()), frames.call(3), frames.message(3, asking()), frames.call(5))
    await client.saw("HEADERS#5 end")
    await client.caughtUp()
    expect([asked.length, hub.sessions.size, refusedClients(metrics, "limit")]).toEqual([1, 0, 1])
    asked[0]!()
    await client.saw("DATA#1")
    await client.saw("DATA#3")
    client.say(frames.cancel(3))
    await client.caughtUp()
    client.say(frames.call(7))
    await client.caughtUp()
    expect(asked.length).toBe(2)
    asked[1]!("expected a token")
    await client.saw("RST#7 0")
    expect(refusedClients(metrics, "unauthenticated")).toBe(1)
  })

  test("one token says nothing about another", async () => {
    const { served, asked } = await asksWho()
    await using _served = served
    using client = await secureClient(served.address)
    for (const [id, token] of [
      [1, "a"],
      [3, "b"],
      [5, "a"],
    ] as const)
      client.say(frames.call(id, undefined, { authorization: `Bearer ${token}` }))
    await client.caughtUp()
    expect(asked.length).toBe(2)
  })

  test("a stream that is reset at once is not authenticated", async () => {
    const { served, asked } = await asksWho()
    await using _served = served
    using client = await secureClient(served.address)
    await client.caughtUp()
    client.say(frames.call(1), frames.cancel(1))
    await client.caughtUp()
    expect(asked.length).toBe(0)
  })

  test("it may have a hundred streams in one connection, and no more", async () => {
    const { served, asked, metrics } = await asksWho()
    await using _served = served
    using client = await secureClient(served.address)
    await client.caughtUp()
    client.say(...Array.from({ length: 101 }, (_, at) => frames.call(2 * at + 1, undefined, { authorization: `Bearer ${at}` })))
    await client.saw("closed")
    expect([asked.length <= 100, refusedClients(metrics, "protocol")]).toEqual([true, 1])
  })
})
