import { createHash } from "node:crypto"
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Server, Socket } from "node:net"
import { PassThrough } from "node:stream"
import { buffer } from "node:stream/consumers"
import { expect, test } from "vitest"
import { EndpointSocket } from "./endpoint-socket.ts"

/** No two reads of it are alike: a buffer that was filled too early shows. */
const sent = Buffer.alloc(
  6_000_000,
  Uint8Array.from({ length: 65_521 }, (_, at) => at % 251),
)
const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

test("all that the endpoint sends reaches a client that keeps up", async () => {
  await using path = await forwarded((endpoint) => endpoint.end(sent))
  expect(hashOf(await buffer(path.client))).toBe(hashOf(sent))
})

test("a client that stops in between gets the same bytes", async ({ signal }) => {
  await using path = await forwarded((endpoint) => endpoint.end(sent))
  const parts: Buffer[] = []
  for await (const part of path.client) {
    parts.push(part)
    // Long enough for the system's buffers to fill up behind it.
    if (parts.length % 16 === 0) for (let turns = 0; turns < 20; turns++) await turn(signal)
  }
  expect(hashOf(Buffer.concat(parts))).toBe(hashOf(sent))
})

test("little that waits is enough to stop, and little that was written to go on", async ({ signal }) => {
  const written: (() => void)[] = []
  const seen: string[] = []
  const endpoint = new EndpointSocket()
  await using there = await listening((socket) => void socket.write("one"))
  const to = new Socket()
  // The system takes nothing at once.
  to._write = (bytes, _encoding, done) => written.push(() => void (seen.push(String(bytes)), done()))
  endpoint.connect(there.port)
  endpoint.pipe(to)
  await until(() => written.length === 1, signal)
  there.connections[0]!.write("two")
  await until(() => endpoint.bytesRead === 3 && there.connections[0]!.writableLength === 0, signal)
  expect(seen).toEqual([])
  written[0]!()
  await until(() => written.length === 2, signal)
  written[1]!()
  expect(seen).toEqual(["one", "two"])
  for (const socket of [endpoint, to]) socket.destroy()
})

test("a client that reads nothing stops the endpoint", async ({ signal }) => {
  await using path = await forwarded((endpoint) => endpoint.write(Buffer.alloc(100_000_000)))
  path.client.pause()
  await once(path.client, "connect")
  let before = -1
  while (before !== path.endpoint.bytesRead || before === 0) {
    before = path.endpoint.bytesRead
    for (let turns = 0; turns < 200; turns++) await turn(signal)
  }
  expect(before).toBeLessThan(50_000_000)
  expect(path.accepted().writableLength).toBeLessThanOrEqual(65_536)
})

test("a stream that keeps what it is given gets copies", async () => {
  await using there = await listening((socket) => socket.end(sent))
  const endpoint = new EndpointSocket()
  endpoint.connect(there.port)
  const kept = endpoint.pipe(new PassThrough({ highWaterMark: 10_000_000 }))
  await once(endpoint, "end")
  expect(hashOf(await buffer(kept))).toBe(hashOf(sent))
  endpoint.destroy()
})

/** A client, and the forwarding to it from an endpoint that does what is said. */
async function forwarded(does: (endpoint: Socket) => void) {
  const endpoint = new EndpointSocket()
  const there = await listening(does)
  const front = await listening((client) => {
    endpoint.connect(there.port)
    endpoint.pipe(client)
  })
  const client = connect(front.port)
  const close = async () => {
    for (const socket of [client, endpoint]) socket.destroy()
    for (const server of [there, front]) await server[Symbol.asyncDispose]()
  }
  return { client, endpoint, accepted: () => front.connections[0]!, [Symbol.asyncDispose]: close }
}

async function listening(accept: (socket: Socket) => void) {
  const connections: Socket[] = []
  const server: Server = createServer((socket) => {
    connections.push(socket)
    socket.on("error", () => {})
    accept(socket)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const close = async () => {
    for (const socket of connections) socket.destroy()
    server.close()
  }
  return { port: (server.address() as AddressInfo).port, connections, [Symbol.asyncDispose]: close }
}

/** No longer than the test may take: its signal ends the wait. */
async function until(isSo: () => boolean, signal: AbortSignal): Promise<void> {
  while (!isSo()) await turn(signal)
}

async function turn(signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  await new Promise((resolve) => void setImmediate(resolve))
}
