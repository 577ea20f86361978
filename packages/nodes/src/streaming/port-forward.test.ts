import { get } from "node:http"
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"
import { VirtualClock } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { WebSocket } from "ws"
import type { PodDialer } from "../kubelet/pod/pod-dialer.ts"
import { encodeFrame, FrameReader } from "./spdy/frames.ts"
import { connectSpdy, SpdyClient } from "./testing/spdy-client.ts"
import { servePod } from "./testing/stream-server.ts"
import { SocketDuplex } from "./websocket/socket-duplex.ts"

/** Port 80 of the pod is this server; no other one listens. */
async function podWith(serve: (socket: Socket) => void) {
  const target: Server = createServer({ allowHalfOpen: true }, serve)
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve))
  const dialer: PodDialer = {
    dial: (address, port) =>
      new Promise((resolve, reject) => {
        if (port !== 80) return reject(new Error(`dial tcp4 ${address}:${port}: connect: connection refused`))
        const socket = connect({ port: (target.address() as AddressInfo).port, host: "127.0.0.1", allowHalfOpen: true }, () =>
          resolve(socket),
        )
      }),
    open: () => ({ send: () => undefined, close: () => undefined }),
  }
  return { target, dialer }
}

const echo = (socket: Socket) => void socket.pipe(socket)

async function pair(client: SpdyClient, port: string, requestid: string) {
  const error = await client.open({ streamtype: "error", port, requestid }, { fin: true })
  const data = await client.open({ streamtype: "data", port, requestid })
  return { error, data }
}

/** kubectl's way since 1.31, whose protocol the library's own client takes for none. */
async function connectTunnel(address: string): Promise<SpdyClient> {
  const protocol = "SPDY/3.1+portforward.k8s.io"
  const headers = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-version": "13",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    "sec-websocket-protocol": protocol,
  }
  return new Promise((resolve, reject) => {
    const asked = get(`http://${address}/portForward`, { headers })
    asked.once("response", ({ statusCode }) => reject(new Error(`${statusCode}`)))
    asked.once("upgrade", (response, socket, head) => {
      expect(response.headers["sec-websocket-protocol"]).toBe(protocol)
      const opened = new (WebSocket as unknown as new (url: null, protocols: undefined, options: object) => WebSocket)(null, undefined, {})
      const inner = opened as unknown as { _isServer: boolean; setSocket(socket: unknown, head: Buffer, options: object): void }
      inner._isServer = false
      inner.setSocket(socket, head, { maxPayload: 0 })
      resolve(new SpdyClient(new SocketDuplex(opened), response.headers))
    })
  })
}

test.each([
  ["plain SPDY", (address: string) => connectSpdy(address, "/portForward", "portforward.k8s.io")],
  ["SPDY in a WebSocket", connectTunnel],
] as const)("a port is forwarded over %s, each connection with streams of its own", async (_what, connectTo) => {
  const { target, dialer } = await podWith(echo)
  await using served = await servePod([{ image: "web" }], { dialer })
  const client = await connectTo(served.address)
  const [one, two] = [await pair(client, "80", "0"), await pair(client, "80", "1")]
  client.send(one.data, "hello ")
  client.send(two.data, "other")
  client.send(one.data, "world", { fin: true })
  await expect.poll(() => [client.isEnded(one.data), client.isEnded(one.error)]).toEqual([true, true])
  await expect.poll(() => client.text(two.data)).toBe("other")
  expect([client.text(one.data), client.text(one.error), client.isEnded(two.data)]).toEqual(["hello world", "", false])
  client.socket.destroy()
  await new Promise((resolve) => target.close(resolve))
})

test("a port without a listener is said on the error stream, and other ports go on", async () => {
  const { target, dialer } = await podWith(echo)
  await using served = await servePod([{ image: "web" }], { dialer })
  const client = await connectSpdy(served.address, "/portForward", "portforward.k8s.io")
  const [good, bad] = [await pair(client, "80", "0"), await pair(client, "81", "1")]
  await expect.poll(() => client.isEnded(bad.error)).toBe(true)
  expect(client.text(bad.error)).toBe(
    "error forwarding port 81 to pod web_default, uid 4711: dial tcp4 127.116.1.1:81: connect: connection refused",
  )
  client.send(good.data, "on")
  await expect.poll(() => client.text(good.data)).toBe("on")
  client.socket.destroy()
  target.close()
})

test.each([
  ["no port", { streamtype: "data" }],
  ["a port that is none", { streamtype: "data", port: "0" }],
  ["an unknown type", { streamtype: "soup", port: "80" }],
] as const)("a stream with %s is reset", async (_what, headers) => {
  const { target, dialer } = await podWith(echo)
  await using served = await servePod([{ image: "web" }], { dialer })
  const client = await connectSpdy(served.address, "/portForward", "portforward.k8s.io")
  const stream = await client.open(headers)
  await expect.poll(() => client.isReset(stream)).toBe(true)
  client.socket.destroy()
  target.close()
})

test("a data stream whose error stream does not come is given up after 30 s", async () => {
  const { target, dialer } = await podWith(echo)
  const clock = new VirtualClock()
  await using served = await servePod([{ image: "web" }], { dialer, clock })
  const client = await connectSpdy(served.address, "/portForward", "portforward.k8s.io")
  const data = await client.open({ streamtype: "data", port: "80", requestid: "0" })
  await expect.poll(() => client.frames.length).toBe(1)
  await clock.advance(29_000)
  expect(client.isReset(data)).toBe(false)
  await clock.advance(1000)
  await expect.poll(() => client.isReset(data)).toBe(true)
  client.socket.destroy()
  target.close()
})

test("a connection that is idle for four hours is closed, and one with traffic is not", async () => {
  const { target, dialer } = await podWith(echo)
  const clock = new VirtualClock()
  await using served = await servePod([{ image: "web" }], { dialer, clock })
  const client = await connectSpdy(served.address, "/portForward", "portforward.k8s.io")
  const { data } = await pair(client, "80", "0")
  await expect.poll(() => client.frames.length).toBe(2)
  await clock.advance(3 * 3_600_000)
  client.send(data, "still here")
  await expect.poll(() => client.text(data)).toBe("still here")
  await clock.advance(3 * 3_600_000)
  expect(client.socket.destroyed).toBe(false)
  await clock.advance(3_600_001)
  await client.closed
  target.close()
})

test("channels forward the ports of the request, and say them first", async () => {
  const { target, dialer } = await podWith(echo)
  await using served = await servePod([{ image: "web" }], { dialer })
  const socket = new WebSocket(`ws://${served.address}/portForward?port=80,81`, ["v4.channel.k8s.io"])
  const received: string[] = []
  socket.on("message", (data: Buffer) => received.push(`${data[0]} ${data.toString("latin1", 1)}`))
  await new Promise((resolve) => socket.once("open", resolve))
  socket.send(Buffer.concat([Buffer.of(0), Buffer.from("hello")]))
  await expect.poll(() => received).toContain("0 hello")
  expect(received.filter((text) => !text.includes("error"))).toEqual(
    expect.arrayContaining(["0 P\0", "1 P\0", "2 Q\0", "3 Q\0", "0 hello"]),
  )
  expect(received).toContainEqual(expect.stringMatching(/^3 error forwarding port 81 to pod web_default/))
  socket.terminate()
  target.close()
})

test.each([
  ["", 'query parameter "port" is required'],
  ["?port=", 'query parameter "port" cannot be empty'],
  ["?port=80,soup", 'unable to parse "80,soup" as a port'],
  ["?port=0", 'port "0" must be > 0'],
])("channels without ports (%s) are refused", async (query, message) => {
  const { target, dialer } = await podWith(echo)
  await using served = await servePod([{ image: "web" }], { dialer })
  const { connectChannels } = await import("./testing/channel-client.ts")
  await expect(connectChannels(`ws://${served.address}/portForward${query}`, "v4.channel.k8s.io")).rejects.toThrow(`400 ${message}`)
  target.close()
})

test("two hundred connections over one are forwarded at once, and a flood of streams is refused", async () => {
  const { target, dialer } = await podWith(echo)
  await using served = await servePod([{ image: "web" }], { dialer })
  const client = await connectSpdy(served.address, "/portForward", "portforward.k8s.io")
  const pairs: Awaited<ReturnType<typeof pair>>[] = []
  for (let index = 0; index < 200; index++) pairs.push(await pair(client, "80", String(index)))
  for (const [index, { data }] of pairs.entries()) client.send(data, `number ${index}`, { fin: true })
  await expect.poll(() => pairs.every(({ data }) => client.isEnded(data)), { timeout: 5000 }).toBe(true)
  expect(pairs.map(({ data }) => client.text(data))).toEqual(pairs.map((_, index) => `number ${index}`))
  const flood: number[] = []
  for (let index = 0; index < 1001; index++) flood.push(await client.open({ streamtype: "data", port: "80", requestid: `flood ${index}` }))
  await expect.poll(() => client.isReset(flood.at(-1)!)).toBe(true)
  client.socket.destroy()
  target.close()
})

test("a client that does not read holds back its pod, and nothing is kept for it", async () => {
  let sent = 0
  const { target, dialer } = await podWith((socket) => {
    const write = () => {
      while (sent < 500_000_000 && socket.write(Buffer.alloc(64 * 1024))) sent += 64 * 1024
    }
    socket.on("drain", write).on("error", () => undefined)
    write()
  })
  await using served = await servePod([{ image: "web" }], { dialer })
  const client = await connectSpdy(served.address, "/portForward", "portforward.k8s.io")
  await pair(client, "80", "0")
  client.socket.pause()
  let before = -1
  await expect
    .poll(
      () => {
        const isStill = sent === before
        before = sent
        return isStill
      },
      { interval: 300, timeout: 5000 },
    )
    .toBe(true)
  expect(sent).toBeLessThan(32 * 1024 * 1024)
  client.socket.destroy()
  target.close()
})

test("a client that gives windows gets no more than they allow, and windows for what it sends", async () => {
  const { target, dialer } = await podWith((socket) => {
    socket.on("error", () => undefined).resume()
    socket.write(Buffer.alloc(300_000))
  })
  await using served = await servePod([{ image: "web" }], { dialer })
  const client = await connectSpdy(served.address, "/portForward", "portforward.k8s.io")
  client.socket.write(encodeFrame({ type: "settings", entries: [{ id: 7, value: 100_000 }] }))
  const { data } = await pair(client, "80", "0")
  // The last piece may go beyond the end of the window.
  await expect.poll(() => client.text(data).length).toBe(131_072)
  client.send(data, Buffer.alloc(5000))
  await expect.poll(() => client.frames).toContainEqual({ type: "window-update", stream: data, delta: 5000 })
  client.socket.write(encodeFrame({ type: "window-update", stream: data, delta: 300_000 }))
  await expect.poll(() => client.text(data).length).toBe(300_000)
  client.socket.destroy()
  target.close()
})

test("pings are answered", async () => {
  const { target, dialer } = await podWith(echo)
  await using served = await servePod([{ image: "web" }], { dialer })
  const client = await connectSpdy(served.address, "/portForward", "portforward.k8s.io")
  client.socket.write(encodeFrame({ type: "ping", id: 7 }))
  await expect.poll(() => client.frames).toEqual(new FrameReader().read(encodeFrame({ type: "ping", id: 7 })))
  client.socket.destroy()
  target.close()
})
