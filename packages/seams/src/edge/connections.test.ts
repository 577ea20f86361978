import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { type AddressInfo, connect, createServer, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Duplex } from "node:stream"
import { afterEach, expect, test } from "vitest"
import type { Clock } from "../clock/clock.ts"
import { VirtualClock } from "../clock/virtual-clock.ts"
import type { ConnectionLimits } from "./connection-limits.ts"
import { Connections, clientOf } from "./connections.ts"

const limits: ConnectionLimits = {
  total: 4,
  perAddress: 3,
  handshake: 10_000,
  firstRequest: 30_000,
  idle: 60_000,
  stall: 60_000,
  headerBytes: 300_000,
}
const cleanUp: (() => void)[] = []
afterEach(() => {
  for (const one of cleanUp.splice(0)) one()
})

async function listening(given: Partial<ConnectionLimits> = {}, { tls = false } = {}) {
  const clock = new VirtualClock()
  const refused: string[] = []
  const connections = new Connections({ clock, limits: { ...limits, ...given }, onRefused: (reason) => refused.push(reason) })
  const accepted: Socket[] = []
  // Half-closed sockets stay open, as those of node's HTTP servers do.
  const server = createServer({ allowHalfOpen: true }, (socket) => accepted.push(socket))
  connections.guard(server, { tls })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  cleanUp.push(() => {
    connections.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const client = (localAddress = "127.0.0.1") => {
    const socket = connect({ port, host: "127.0.0.1", localAddress }).on("error", () => undefined)
    cleanUp.push(() => socket.destroy())
    return socket
  }
  /** A client whose connection the server has accepted. */
  const joined = async (localAddress?: string) => {
    const next = once(server, "connection")
    const socket = client(localAddress)
    const [own] = (await next) as [Socket]
    return { socket, own }
  }
  return { clock, refused, connections, accepted, server, client, joined }
}

test("a connection too many is closed at once where all have a request, and there is room again when another ends", async () => {
  const { client, joined, refused, connections, accepted } = await listening({ perAddress: 9 })
  const held = [await joined(), await joined(), await joined(), await joined()]
  for (const { own } of held) connections.open(connections.of(own)!, { writableLength: 0 })
  const late = client().resume()
  await once(late, "close")
  expect(refused).toEqual(["4 connections are open, which is the most"])
  expect(accepted).toHaveLength(4)
  held[0]!.own.destroy()
  await once(held[0]!.own, "close")
  expect(connections.size).toBe(3)
  await joined()
  expect(connections.size).toBe(4)
})

test("a connection too many takes the place of the one that is idle for the longest time", async () => {
  const { clock, joined, refused, connections } = await listening({ perAddress: 9 })
  const busy = await joined()
  connections.open(connections.of(busy.own)!, { writableLength: 0 })
  await clock.advance(1000)
  const oldest = await joined()
  await clock.advance(1000)
  const others = [await joined(), await joined()]
  const fifth = await joined()
  expect([busy, oldest, ...others, fifth].map(({ own }) => own.destroyed)).toEqual([false, true, false, false, false])
  await once(oldest.own, "close")
  expect(connections.size).toBe(4)
  expect(refused).toEqual(["4 connections are open, which is the most: one without a request was closed"])
})

test.each([
  ["10.1.2.3", "10.1.2.3"],
  ["::ffff:10.1.2.3", "10.1.2.3"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:db8::6", "2001:db8:0:0::/64"],
  ["::1", "0:0:0:0::/64"],
  ["fe80::1%eth0", "fe80:0:0:0::/64"],
])("a client at %s counts for %s", (address, client) => {
  expect(clientOf(address)).toBe(client)
})

/** A server that accepts what a test gives it. */
function accepting(connections: Connections, address: object | string) {
  const server = Object.assign(createServer(), { address: () => address as AddressInfo })
  connections.guard(server, { tls: true })
  return (ends: Partial<Socket>) => {
    const socket = Object.assign(
      new Duplex({ read: () => undefined }),
      { bytesRead: 0, bytesWritten: 0, setKeepAlive: () => undefined },
      ends,
    )
    server.emit("connection", socket)
    return socket
  }
}

test("one port of a client that is connected with two addresses of this machine has two connections", () => {
  const connections = new Connections({ limits })
  const accept = accepting(connections, { port: 6443 })
  const client = { remoteAddress: "10.0.0.9", remotePort: 50_000, localPort: 6443 }
  const ends = [
    { ...client, localAddress: "10.0.0.1" },
    { ...client, localAddress: "10.0.0.2" },
  ]
  const sockets = ends.map((end) => accept(end))
  expect(ends.map((end) => connections.at(end)?.socket === sockets[ends.indexOf(end)])).toEqual([true, true])
})

test("a TCP connection whose client has gone before it was accepted is no socket of the file system", () => {
  const connections = new Connections({ limits })
  const socket = accepting(connections, { port: 6443 })({})
  expect([socket.destroyed, connections.size]).toEqual([true, 0])
})

test("one address cannot take the room of the others", async () => {
  const { client, joined, refused } = await listening()
  for (let at = 0; at < 3; at++) await joined("127.0.0.2")
  const fourth = client("127.0.0.2").resume()
  await once(fourth, "close")
  expect(refused).toEqual(["3 connections of 127.0.0.2 are open, which is the most for one address"])
  await joined("127.0.0.1")
})

test("a connection whose handshake does not end is closed after 10 s, also when its client has gone half-way", async () => {
  const { clock, joined, connections } = await listening({}, { tls: true })
  const silent = await joined()
  const gone = await joined()
  gone.socket.end()
  await clock.advance(9_000)
  expect(connections.size).toBe(2)
  const closed = Promise.all([once(silent.own, "close"), once(gone.own, "close")])
  await clock.advance(6_000)
  await closed
  expect(connections.size).toBe(0)
})

test("a connection without a first request is closed after 30 s, one without another after 60 s", async () => {
  const { clock, joined, connections } = await listening()
  const unused = await joined()
  const used = await joined()
  const connection = connections.of(used.own)!
  const answer = { writableLength: 0 }
  connections.open(connection, answer)
  const first = once(unused.own, "close")
  await clock.advance(35_000)
  await first
  // However long an answer takes, such as a watch, it is no idle time.
  await clock.advance(600_000)
  expect(connections.size).toBe(1)
  connections.close(connection, answer)
  await clock.advance(55_000)
  expect(connections.size).toBe(1)
  const second = once(used.own, "close")
  await clock.advance(10_000)
  await second
})

test("the time in which the process did not run counts for no client", async () => {
  let [elapsed, check] = [0, () => {}]
  const timer = (_: number, __: string, fire: () => void) => {
    check = fire
    return { [Symbol.dispose]: () => {} }
  }
  const connections = new Connections({ clock: { elapsed: () => elapsed, timer } as unknown as Clock, limits })
  const server = createServer()
  connections.guard(server, { tls: true })
  const [one, another] = [{ remotePort: 1 }, { remotePort: 2 }].map((end) =>
    Object.assign(new Duplex(), { remoteAddress: "127.0.0.1", setKeepAlive: () => {}, ...end }),
  )
  server.emit("connection", one)
  const checkAt = (milliseconds: number) => {
    elapsed = milliseconds
    check()
  }
  checkAt(1000)
  checkAt(200_000)
  server.emit("connection", another)
  checkAt(201_000)
  expect([one?.destroyed, another?.destroyed]).toEqual([false, false])
  for (let seconds = 202; seconds <= 211; seconds++) checkAt(seconds * 1000)
  expect([one?.destroyed, another?.destroyed]).toEqual([true, true])
})

test("an idle connection is asked to end in the way of its protocol, and closed when it does not", async () => {
  const { clock, joined, connections } = await listening({}, { tls: true })
  const { own } = await joined()
  const session = {}
  let asked = 0
  connections.ready(session, own, { retire: () => void asked++ })
  const connection = connections.of(session)!
  const answer = { writableLength: 0 }
  connections.open(connection, answer)
  connections.close(connection, answer)
  await clock.advance(65_000)
  expect([asked, own.destroyed]).toEqual([1, false])
  await clock.advance(15_000)
  expect([asked, own.destroyed]).toEqual([1, true])
})

test("a client that takes nothing of its answer for a minute is cut off; one that takes something is not", async () => {
  const { clock, joined, connections } = await listening()
  const [stalled, slow] = [await joined(), await joined()]
  const waiting = { writableLength: 100 }
  for (const { own } of [stalled, slow]) connections.open(connections.of(own)!, waiting)
  for (let at = 0; at < 65; at++) {
    connections.took(connections.of(slow.own)!, waiting)
    // As an answer to a ping: it is no progress of the answer that waits.
    stalled.own.write("x")
    await clock.advance(1_000)
  }
  expect([stalled.own.destroyed, slow.own.destroyed]).toEqual([true, false])
})

test.each([
  ["the other answers of its connection go on where its client is there", true],
  ["its connection is closed where its client does not answer a probe", false],
])("an answer that is not taken is reset, and %s", async (_, answers) => {
  const { clock, joined, connections } = await listening()
  const { own } = await joined()
  const session = {}
  connections.ready(session, own, { probe: (answered) => answers && answered() })
  const connection = connections.of(session)!
  const resets: string[] = []
  connections.open(connection, { writableLength: 100, reset: () => resets.push("stalled") })
  connections.open(connection, { writableLength: 0, reset: () => resets.push("watch") })
  await clock.advance(65_000)
  expect([resets, own.destroyed]).toEqual([["stalled"], false])
  await clock.advance(15_000)
  expect([resets, own.destroyed]).toEqual([["stalled"], !answers])
})

/** Sends 200,000 bytes from each, and waits until the server has read them. */
async function sendHeaderBytes(clients: readonly { readonly socket: Socket; readonly own: Socket }[]): Promise<void> {
  for (const { socket, own } of clients) {
    own.resume()
    socket.write(Buffer.alloc(200_000))
  }
  while (clients.some(({ own }) => own.bytesRead < 200_000)) await new Promise((resolve) => setImmediate(resolve))
}

test("headers that do not end take no more memory than all connections may: the newest are closed", async () => {
  const { clock, joined, connections } = await listening()
  const clients = [await joined(), await joined(), await joined()]
  const uploading = connections.of(clients[0]!.own)!
  connections.open(uploading, { writableLength: 0 })
  await sendHeaderBytes(clients)
  connections.readBody(uploading)
  await clock.advance(1000)
  // What the first sent is the body of a request, and 200,000 bytes of the second are within the limit.
  expect(clients.map(({ own }) => own.destroyed)).toEqual([false, false, true])
})

test("headers that do not end count also while a request is answered, and after that", async () => {
  const { clock, joined, connections } = await listening()
  const clients = [await joined(), await joined(), await joined()]
  const [answering, answered] = clients.map(({ own }) => connections.of(own)!)
  const output = { writableLength: 0 }
  connections.open(answering!, output)
  connections.open(answered!, output)
  await sendHeaderBytes(clients)
  connections.close(answered!, output)
  await clock.advance(1000)
  expect(clients.map(({ own }) => own.destroyed)).toEqual([false, true, true])
})

test("a client that answers a probe has no open headers, however much it has sent", async () => {
  const { clock, joined, connections } = await listening()
  const clients = [await joined(), await joined(), await joined()]
  let probes = 0
  const probe = (answered: () => void) => {
    probes++
    answered()
  }
  connections.ready({}, clients[0]!.own, { probe })
  await sendHeaderBytes(clients.slice(0, 1))
  await clock.advance(1000)
  await sendHeaderBytes(clients.slice(1))
  await clock.advance(1000)
  expect(probes).toBe(1)
  expect(clients.map(({ own }) => own.destroyed)).toEqual([false, false, true])
})

test("a socket of the file system has no address to know its TLS and its requests by, and so no limits in time", async () => {
  const { clock, connections } = await listening({}, { tls: true })
  const directory = mkdtempSync(join(tmpdir(), "pilothouse-edge-"))
  cleanUp.push(() => rmSync(directory, { recursive: true }))
  const other = createServer()
  connections.guard(other, { tls: true })
  await new Promise<void>((resolve) => other.listen(join(directory, "socket"), resolve))
  cleanUp.push(() => other.close())
  const accepted = once(other, "connection")
  cleanUp.push(() => client.destroy())
  const client = connect(join(directory, "socket"))
  const [own] = (await accepted) as [Socket]
  connections.ready({}, own)
  await clock.advance(600_000)
  expect([own.destroyed, connections.size]).toEqual([false, 1])
})

test("no timer runs without a connection, and all are closed by destroy()", async () => {
  const { clock, joined, connections, client } = await listening()
  expect(clock.waiting()).toEqual([])
  const { own, socket } = await joined()
  expect(clock.waiting()).toHaveLength(1)
  const closed = once(own, "close")
  connections.destroy()
  await closed
  expect(clock.waiting()).toEqual([])
  socket.destroy()
  await once(client().resume(), "close")
  expect(connections.size).toBe(0)
})
