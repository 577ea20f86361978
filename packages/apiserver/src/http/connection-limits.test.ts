import { once } from "node:events"
import { type ClientHttp2Session, connect as connectHttp2, constants } from "node:http2"
import { connect, type Socket } from "node:net"
import { connect as connectTls, type TLSSocket } from "node:tls"
import { unauthorized } from "@pilothouse/api"
import { silentLog, type Transport, VirtualClock, valueBody, virtualFiles } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { afterEach, beforeAll, describe, expect, test } from "vitest"
import type { Certificates } from "../certificates/certificates.ts"
import { ensureCertificates } from "../certificates/ensure-certificates.ts"
import { type HttpsServer, type ServeOptions, serveHttps } from "./serve.ts"
import { ask, textOf } from "./testing/client.ts"

let certificates: Certificates
const cleanUp: (() => unknown)[] = []

beforeAll(async () => {
  const seams = { files: virtualFiles(systemClock), clock: systemClock, random: systemRandom() }
  certificates = await ensureCertificates({ ...seams, directory: "/pki", serviceIp: "10.96.0.1" })
})
afterEach(async () => {
  for (const one of cleanUp.splice(0).reverse()) await one()
})

const ok: Transport = async () => ({ status: 200, headers: {}, body: valueBody({}) })

async function serve(options: Partial<ServeOptions> = {}, transport = ok) {
  const clock = new VirtualClock({ limit: "400h" })
  const edge = { host: "127.0.0.1", port: 0, certificates, clock, random: systemRandom(), log: silentLog }
  const server = await serveHttps({ ...edge, transportFor: () => transport, ...options })
  cleanUp.push(() => closed(server, clock))
  return { clock, server, port: server.port, ca: certificates.ca.certificate }
}

async function closed(server: HttpsServer, clock: VirtualClock): Promise<void> {
  const closing = server.close(0)
  await clock.advance(1)
  await closing
}

function tcp(port: number): Socket {
  const socket = connect({ port, host: "127.0.0.1" }).on("error", () => undefined)
  cleanUp.push(() => socket.destroy())
  return socket
}

async function tls(port: number, protocol: "h2" | "http/1.1"): Promise<TLSSocket> {
  const socket = connectTls({ port, host: "127.0.0.1", rejectUnauthorized: false, ALPNProtocols: [protocol] }).on("error", () => undefined)
  cleanUp.push(() => socket.destroy())
  await once(socket, "secureConnect")
  // What the server knows of a handshake comes before what it answers to anything sent after it.
  return socket
}

const preface = Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0])])
/** HEADERS of stream 1 with one header, and without the flag that they are complete. */
const halfHeaders = Buffer.from([0, 0, 1, 1, 0, 0, 0, 0, 1, 0x82])

/** Moves time until the socket is closed, as far as it may take. */
async function closedWithin(clock: VirtualClock, socket: Socket, milliseconds: number): Promise<number> {
  const started = clock.elapsed()
  socket.resume()
  while (!socket.closed && clock.elapsed() - started < milliseconds) {
    await clock.advance(1000)
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  }
  if (!socket.closed) throw new Error(`still open after ${clock.elapsed() - started} ms`)
  return clock.elapsed() - started
}

describe("a client without credentials cannot hold a connection", () => {
  test("by saying nothing", async () => {
    const { clock, port } = await serve()
    const silent = tcp(port)
    await once(silent, "connect")
    expect(await closedWithin(clock, silent, 20_000)).toBeGreaterThan(5000)
  })

  test.each([
    ["by no preface of HTTP/2", "h2", Buffer.alloc(0)],
    ["by a preface and nothing else", "h2", preface],
    ["by headers of HTTP/2 that do not end", "h2", Buffer.concat([preface, halfHeaders])],
    ["by saying nothing over HTTP/1.1", "http/1.1", Buffer.alloc(0)],
    ["by headers of HTTP/1.1 that do not end", "http/1.1", Buffer.from("GET /healthz HTTP/1.1\r\nHost: x\r\n")],
  ] as const)("%s", async (_, protocol, bytes) => {
    const { clock, port } = await serve()
    const socket = await tls(port, protocol)
    if (bytes.length > 0) socket.write(bytes)
    expect(await closedWithin(clock, socket, 60_000)).toBeGreaterThan(20_000)
  })

  test("by pings behind a request that was answered", async () => {
    const { clock, port, ca } = await serve()
    const session = connectHttp2(`https://127.0.0.1:${port}`, { ca })
    cleanUp.push(() => session.destroy())
    await answered(session)
    let goaway = false
    session.on("goaway", () => (goaway = true))
    for (let at = 0; at < 100 && !session.destroyed; at++) {
      await new Promise((resolve) => session.ping(resolve))
      await clock.advance(1000)
    }
    expect([session.destroyed, goaway]).toEqual([true, true])
  })
})

test("a connection of HTTP/1.1 is kept for its next request as long as Go's clients keep theirs: node would end it after 6 s", async () => {
  const { clock, port } = await serve()
  const socket = await tls(port, "http/1.1")
  const request = "GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
  const answer = async () => {
    const next = once(socket, "data")
    socket.write(request)
    return String((await next)[0])
  }
  // No hint that the connection ends earlier, and no timer of node's own.
  expect(await answer()).not.toMatch(/^keep-alive:/im)
  await clock.advance(80_000)
  expect(await answer()).toMatch(/^HTTP\/1.1 200/)
  expect(await closedWithin(clock, socket, 100_000)).toBeGreaterThan(80_000)
})

/** HPACK: a new header with a literal name of one byte and a value of these bytes. */
function literal(name: string, value: Uint8Array): Buffer {
  const length = value.length < 127 ? [value.length] : [0x7f, ...varint(value.length - 127)]
  return Buffer.concat([Buffer.from([0, name.length]), Buffer.from(name), Buffer.from(length), value])
}

function varint(number: number): number[] {
  return number < 128 ? [number] : [(number % 128) + 128, ...varint(Math.floor(number / 128))]
}

function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head.set([type, flags], 3)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

test("headers of HTTP/2 that do not end count also behind a request that was refused and waits for its body", async () => {
  const refuse = () => {
    throw unauthorized("Unauthorized")
  }
  const { clock, port } = await serve({ connections: { headerBytes: 1_000_000 }, transportFor: refuse })
  const post = frame(1, 4, 1, Buffer.from([0x83, 0x84, 0x87, 1, 1, 120]))
  const sockets: TLSSocket[] = []
  for (let at = 0; at < 3; at++) {
    const socket = await tls(port, "h2")
    sockets.push(socket)
    socket.write(Buffer.concat([preface, post]))
    // The answer to the request: HEADERS of stream 1.
    let received = Buffer.alloc(0)
    await new Promise<void>((resolve) =>
      socket.on("data", (chunk: Buffer) => {
        received = Buffer.concat([received, chunk])
        if (received.includes(Buffer.from([1, 4, 0, 0, 0, 1]))) resolve()
      }),
    )
    // Only a client that has acknowledged the server's settings may send frames of this size.
    socket.write(frame(4, 1, 0, Buffer.alloc(0)))
    // One value of more than 64 KiB would end the connection.
    const part = Buffer.concat(Array.from({ length: 4 }, () => literal("z", Buffer.alloc(50_000, 120))))
    socket.write(Buffer.concat([frame(1, 0, 3, Buffer.from([0x82])), ...Array.from({ length: 3 }, () => frame(9, 0, 3, part))]))
  }
  for (const socket of sockets.slice(1)) await closedWithin(clock, socket, 20_000)
  expect(sockets[0]!.closed).toBe(false)
})

async function answered(session: ClientHttp2Session): Promise<void> {
  const stream = session.request({ ":path": "/x" }).resume()
  await once(stream, "close")
}

async function firstAnswer(socket: TLSSocket): Promise<string> {
  socket.write("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
  const [chunk] = (await once(socket, "data")) as [Buffer]
  return chunk.toString().split("\r\n", 1)[0]!
}

test("connections beyond the limit of an address are closed, and the others go on", async () => {
  const { port, ca } = await serve({ connections: { perAddress: 2 } })
  const held = [await tls(port, "http/1.1"), await tls(port, "http/1.1")]
  await once(tcp(port).resume(), "close")
  for (const socket of held) expect(await firstAnswer(socket)).toBe("HTTP/1.1 200 OK")
  held[0]!.destroy()
  held[1]!.destroy()
  // The server knows of both ends when it takes another.
  for (let tries = 0; ; tries++) {
    const answer = await ask("HTTP/2", { port, ca }, { path: "/x" }).catch((error: unknown) => error)
    if (!(answer instanceof Error)) return void textOf(answer as Awaited<ReturnType<typeof ask>>)
    expect(tries).toBeLessThan(100)
  }
})

test("one connection carries as many requests as the server said, and announces the number to clients", async () => {
  const { port, ca } = await serve({ http2MaxStreams: 7 })
  const session = connectHttp2(`https://127.0.0.1:${port}`, { ca })
  cleanUp.push(() => session.destroy())
  const [settings] = (await once(session, "remoteSettings")) as [{ maxConcurrentStreams?: number }]
  expect(settings.maxConcurrentStreams).toBe(7)
  const withDefaults = await serve()
  const other = connectHttp2(`https://127.0.0.1:${withDefaults.port}`, { ca })
  cleanUp.push(() => other.destroy())
  expect((await once(other, "remoteSettings"))[0]).toMatchObject({ maxConcurrentStreams: 250 })
})

test("what a client that is gone has not read is not kept: node does not notice it by itself", async () => {
  const ended = Promise.withResolvers<void>()
  const started = Promise.withResolvers<void>()
  // More than the kernel holds for both ends.
  const bytes = Buffer.alloc(16 * 1024 * 1024)
  async function* frames() {
    started.resolve()
    for (;;) yield { type: "bytes" as const, bytes, contentType: "text/plain" }
  }
  const { clock, port } = await serve({}, async ({ signal }) => {
    signal?.addEventListener("abort", () => ended.resolve())
    return { status: 200, headers: {}, body: { type: "stream", frames: frames() } }
  })
  const socket = await tls(port, "h2")
  socket.pause()
  const window = Buffer.from([0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0x7f, 0xff, 0xff, 0xff, 0, 0, 4, 8, 0, 0, 0, 0, 0, 0x7f, 0xff, 0, 0])
  const path = Buffer.from("/api/v1/pods?watch=1")
  const headers = Buffer.concat([Buffer.from([0x82, 0x87, 0x04, path.length]), path, Buffer.from([1, 1]), Buffer.from("x")])
  socket.write(Buffer.concat([preface, window, Buffer.from([0, 0, headers.length, 1, 5, 0, 0, 0, 1]), headers]))
  await started.promise
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
  socket.destroy()
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
  await clock.advance(70_000)
  await ended.promise
})

test("a stream that its client does not read is reset, and the watch beside it goes on", async () => {
  const forever = async function* () {
    await new Promise(() => {})
    yield valueBody({})
  }
  const { clock, port, ca } = await serve({}, async ({ path }) => {
    if (path === "/large") return { status: 200, headers: {}, body: valueBody("x".repeat(1_000_000)) }
    return { status: 200, headers: {}, body: { type: "stream", frames: forever() } }
  })
  const session = connectHttp2(`https://127.0.0.1:${port}`, { ca })
  cleanUp.push(() => session.destroy())
  const watch = session.request({ ":path": "/api/v1/pods?watch=1" }).resume()
  watch.on("error", () => undefined)
  await once(watch, "response")
  const unread = session.request({ ":path": "/large" })
  const reset = once(unread, "error")
  await once(unread, "response")
  for (let at = 0; at < 90; at++) {
    await new Promise((resolve) => session.ping(resolve))
    await clock.advance(1000)
  }
  await reset
  expect(unread.rstCode).toBe(constants.NGHTTP2_INTERNAL_ERROR)
  expect([watch.destroyed, session.destroyed]).toEqual([false, false])
})

test("closing does not wait for connections that never finish their handshake", async () => {
  const { port, server, clock } = await serve()
  const silent = [tcp(port), tcp(port)]
  await Promise.all(silent.map((socket) => once(socket, "connect")))
  // The server has accepted the two when it has answered a later one.
  const later = await tls(port, "http/1.1")
  later.destroy()
  await once(later, "close")
  const closing = server.close(600_000)
  await Promise.all(silent.map((socket) => once(socket.resume(), "close")))
  await closing
  expect(clock.waiting()).toEqual([])
  cleanUp.splice(0, 1)
})
