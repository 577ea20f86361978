import { once } from "node:events"
import { systemClock } from "@pilothouse/seams/system"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import { anonymous, type Presented } from "./connection.ts"
import { httpTransport } from "./http-transport.ts"
import { ca, clientCertificate, clientKey, otherCa } from "./testing/certificates.ts"
import { framesOf, get, testConnections, watch } from "./testing/connections.ts"
import { testListener } from "./testing/listener.ts"

const { started, connected, opened } = testConnections()

describe("connections", () => {
  test("one HTTP/2 connection carries watches and requests", async () => {
    const server = await started((request, response) => {
      response.writeHead(200)
      if (request.url?.includes("watch")) response.write("{}\n")
      else response.end("{}")
    })
    const transport = connected({ server: server.url })
    const watches = await Promise.all(Array.from({ length: 30 }, () => framesOf(transport, watch)))
    await Promise.all(Array.from({ length: 50 }, () => transport(get)))
    expect(server.sockets.size).toBe(1)
    await Promise.all(watches.map((frames) => frames.return?.()))
  })

  test("new authorities are used for the next request; a watch that is open goes on", async () => {
    let authorities = ca
    const server = await started((request, response) => {
      response.writeHead(200)
      if (request.url?.includes("watch")) setImmediate(() => response.write("{}\n"))
      else response.end("{}")
    })
    const transport = connected({ server: server.url, authorities: () => authorities })
    const frames = await framesOf(transport, watch)
    authorities = otherCa
    await expect(transport(get)).rejects.toMatchObject({ message: expect.stringContaining("signed by an unknown authority") })
    expect(await frames.next()).toMatchObject({ done: false })
    authorities = ca
    expect((await transport(get)).status).toBe(200)
    await frames.return?.()
  })

  test("a new client certificate is used for the next request; a watch that is open goes on", async () => {
    const server = await started(
      (request, response) => {
        response.writeHead(200)
        if (request.url?.includes("watch")) setImmediate(() => response.write("{}\n"))
        else response.end("{}")
      },
      { clientCertificates: true },
    )
    const own: Presented = { certificate: clientCertificate, key: clientKey }
    let presented = own
    const transport = connected({ server: server.url, credentials: { present: async () => presented, refused: async () => false } })
    const frames = await framesOf(transport, watch)
    presented = {}
    await expect(transport(get)).rejects.toMatchObject({ message: expect.stringContaining("the server requires a client certificate") })
    presented = { ...own }
    expect((await transport(get)).status).toBe(200)
    expect(await frames.next()).toMatchObject({ done: false })
    await frames.return?.()
  })

  test("a connection that swallows everything is given up when pings stay without an answer", async () => {
    const server = await started((_, response) => {
      response.writeHead(200)
      response.write("{}\n")
    })
    const relay = await swallowing(server.port)
    // A busy machine may take longer for a handshake than a test would wait: what looks after the connection goes by a clock of its own.
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
    onTestFinished(() => void vi.useRealTimers())
    const frames = await framesOf(connected({ server: `https://127.0.0.1:${relay.port}` }, { pingInterval: 20 }), watch)
    await frames.next()
    relay.swallow()
    // In the first 60 ms the server answered.
    vi.advanceTimersByTime(2 * 60)
    await expect(frames.next()).rejects.toMatchObject({
      code: "CONNECTION_LOST",
      message: expect.stringContaining("nothing was received from the server for 60 ms, not even an answer to a ping"),
    })
  })

  test("a quiet connection is pinged, so that it is not taken for a dead one", async () => {
    const server = await started((_, response) => {
      response.writeHead(200)
      response.write("{}\n")
    })
    const frames = await framesOf(connected({ server: server.url }, { pingInterval: "500ms" }), watch)
    await frames.next()
    const [session] = server.sessions
    const first = await Promise.race(["ping", "close"].map((event) => once(session!, event).then(() => event)))
    expect(first).toBe("ping")
    await frames.return?.()
  })

  test("closing ends what is under way, and refuses what comes later", async () => {
    const server = await started((_, response) => {
      response.writeHead(200)
      response.write("{}\n")
    })
    const made = httpTransport({ server: server.url, authorities: () => ca, credentials: anonymous }, { clock: systemClock })
    const frames = await framesOf(made.transport, watch)
    await frames.next()
    await made.close()
    await expect(frames.next()).rejects.toMatchObject({ code: "CONNECTION_LOST" })
    await expect(made.transport(get)).rejects.toMatchObject({ message: expect.stringContaining("the transport is closed; make a new one") })
  })
})

/** A way to a port that can be made to carry nothing any more, without closing. */
async function swallowing(target: number): Promise<{ port: number; swallow(): void }> {
  let carries = true
  const listener = await testListener((client, connect) => {
    const server = connect(target)
    client.on("data", (data) => carries && server.write(data))
    server.on("data", (data) => carries && client.write(data))
  })
  opened(listener)
  return {
    port: listener.port,
    swallow: () => {
      carries = false
    },
  }
}
