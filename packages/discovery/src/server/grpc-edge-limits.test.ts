import { once } from "node:events"
import { connect as connectHttp2 } from "node:http2"
import { connect, type Socket } from "node:net"
import { memoryMetrics, recordingLog, VirtualClock } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { Hub } from "../push/hub.ts"
import { StaticRegistry } from "../registry/static-registry.ts"
import { certificates } from "../testing/certificates.ts"
import { FrameClient, frames } from "../testing/frame-client.ts"
import { adsMethods } from "../xds/methods.ts"
import { type ServeXdsOptions, serveXds } from "./grpc-edge.ts"
import { inTime } from "./http2-server.ts"

const long = { time: 600_000, timeout: 600_000 }

async function serve(options: Partial<ServeXdsOptions> = {}) {
  const metrics = memoryMetrics()
  const hub = new Hub({ registry: new StaticRegistry(), clock: new VirtualClock(), metrics })
  const served = await serveXds({ hub, keepalive: long, ...options })
  const port = Number(served.address.split(":").at(-1))
  return {
    hub,
    address: served.address,
    refusedClients: (reason: string) => metrics.value("pilot_xds_refused_clients", { reason }),
    socket: async () => {
      const socket = connect(port, "127.0.0.1").on("error", () => undefined)
      await once(socket, "connect")
      return socket
    },
    [Symbol.asyncDispose]: () => served.close(),
  }
}

test("a deadline that the client itself does not keep ends its call with a status", async () => {
  await using server = await serve()
  using client = new FrameClient(await server.socket())
  client.say(frames.call(1, adsMethods.delta, { "grpc-timeout": "10m" }))
  await client.saw("HEADERS#1 end")
  await client.saw("RST#1 0")
})

test("a time that no timer can take is none: the call goes on", async () => {
  let over = false
  using _timer = inTime(99_999_999 * 3_600_000, () => void (over = true))
  await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
  expect(over).toBe(false)
})

describe("connections", () => {
  test("beyond the most are closed and counted; there is room again when another ends", async () => {
    await using server = await serve({ maximumConnections: 2 })
    const held = [new FrameClient(await server.socket()), new FrameClient(await server.socket())]
    for (const one of held) await one.caughtUp()
    await closed(await server.socket())
    expect(server.refusedClients("limit")).toBe(1)
    held[0]!.say(frames.goaway())
    held[0]![Symbol.dispose]()
    using next = await admitted(server.socket)
    await next.caughtUp()
    held[1]![Symbol.dispose]()
  })

  test("that never begin their handshake, or never call anything, are closed", async () => {
    const clock = new VirtualClock()
    const tls = { certificate: certificates.serverCertificate, key: certificates.serverKey, authenticate: async () => undefined }
    await using secure = await serve({ tls, clock })
    const silent = await secure.socket()
    // From the first connection on there is a timer.
    while (clock.waiting().length === 0) await new Promise((resolve) => setImmediate(resolve))
    await clock.advance(15_000)
    await closed(silent)
    await using plain = await serve({ clock })
    using client = new FrameClient(await plain.socket())
    await client.caughtUp()
    await clock.advance(35_000)
    await client.saw("closed")
  })

  test("may have as many streams as configured, and the client learns how many", async () => {
    await using server = await serve({ streamsPerConnection: 7 })
    const session = connectHttp2(`http://${server.address}`)
    const [settings] = (await once(session, "remoteSettings")) as [{ maxConcurrentStreams?: number }]
    session.destroy()
    expect(settings.maxConcurrentStreams).toBe(7)
  })

  test("that do not finish their handshake are given up as soon as those that do not answer", async () => {
    const tls = { certificate: certificates.serverCertificate, key: certificates.serverKey, authenticate: async () => undefined }
    await using server = await serve({ tls, keepalive: { time: 20, timeout: 20 } })
    await closed(await server.socket())
    expect(server.refusedClients("handshake")).toBe(1)
  })
})

describe("what is no call of ADS is counted, and a line says why", () => {
  test.each([
    ["another method", { ":path": "/nothing" }, "200", "expected a method of ADS, found /nothing"],
    [
      "gRPC for browsers",
      { "content-type": "application/grpc-web+proto" },
      "415",
      "expected application/grpc, found application/grpc-web+proto",
    ],
    ["no content type", { "content-type": "" }, "415", "expected application/grpc, found no content-type"],
    ["GET", { ":method": "GET" }, "405", "expected POST, found GET"],
  ])("%s", async (_title, headers, status, why) => {
    const { log, lines } = recordingLog()
    await using server = await serve({ log })
    const session = connectHttp2(`http://${server.address}`)
    const request = session.request({ ":method": "POST", ":path": adsMethods.sotw, "content-type": "application/grpc", ...headers })
    const [answer] = (await once(request, "response")) as [Record<string, unknown>]
    session.destroy()
    expect(String(answer[":status"])).toBe(status)
    expect([server.refusedClients("protocol"), lines.map(({ fields }) => fields)]).toEqual([1, [{ fault: "protocol", why }]])
  })

  test.each(["application/grpc", "application/grpc+proto", "application/grpc;charset=utf-8", "Application/GRPC"])(
    "but %s is one",
    async (type) => {
      await using server = await serve()
      using client = new FrameClient(await server.socket())
      client.say(frames.call(1, undefined, { "content-type": type }))
      await client.caughtUp()
      expect([client.seen.filter((one) => one.includes("#1")), server.refusedClients("protocol")]).toEqual([[], 0])
    },
  )
})

async function closed(socket: Socket): Promise<void> {
  socket.resume()
  if (!socket.closed) await new Promise<void>((resolve) => void socket.once("close", () => resolve()))
}

/** The server learns a moment later that there is room. */
async function admitted(socket: () => Promise<Socket>): Promise<FrameClient> {
  for (;;) {
    const one = await socket()
    const client = new FrameClient(one)
    const isIn = await Promise.race([client.caughtUp().then(() => true), closed(one).then(() => false)])
    if (isIn) return client
  }
}
