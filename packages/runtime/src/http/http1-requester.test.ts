import http from "node:http"
import net, { type Socket } from "node:net"
import tls from "node:tls"
import { afterEach, expect, test } from "vitest"
import { anonymous } from "./connection.ts"
import { dialer } from "./dial.ts"
import { Http1Requester } from "./http1-requester.ts"
import type { Outgoing, Requester } from "./requester.ts"
import { type TestHandler, testServer } from "./testing/server.ts"
import { wholeBody } from "./whole-body.ts"

/** Without TLS, as `kubectl proxy` and sidecars serve. */
function requesterFor(server: string, { connectTimeout = 30_000, connect = net.connect } = {}): Requester {
  const connection = { server, authorities: () => undefined, credentials: anonymous }
  return new Http1Requester(http, connection, dialer({ net: { connect }, tls, http }, connection, {}, connectTimeout))
}

const get = { origin: "", path: "/api/v1/pods", method: "GET", headers: {}, body: null }
const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

async function asking(handler: TestHandler): Promise<{ readonly requester: Requester; readonly sockets: ReadonlySet<Socket> }> {
  const server = await testServer(handler, { protocol: "HTTP" })
  const requester = requesterFor(server.url)
  open.push(server.close, () => requester.destroy())
  return { requester, sockets: server.sockets }
}

function outgoing(signal = new AbortController().signal): Outgoing {
  return { ...get, signal }
}

async function textOf(requester: Requester): Promise<string> {
  const body = await wholeBody(await requester.request(outgoing()))
  return body.type === "bytes" ? Buffer.from(body.bytes).toString() : ""
}

test("requests one after another share a connection", async () => {
  const { requester, sockets } = await asking((_, response) => response.end("{}"))
  for (let at = 0; at < 3; at++) expect(await textOf(requester)).toBe("{}")
  expect(sockets.size).toBe(1)
})

test.each([
  ["announced", { "content-length": "300000" }],
  ["not announced", undefined],
])("a whole answer whose length is %s comes in one piece", async (_, headers) => {
  const { requester } = await asking((_request, response) => {
    response.writeHead(200, headers)
    for (let part = 0; part < 3; part++) response.write(String(part).repeat(100_000))
    response.end()
  })
  expect(await textOf(requester)).toBe("0".repeat(100_000) + "1".repeat(100_000) + "2".repeat(100_000))
})

test("an answer that is cut off in the middle fails, and is never taken for a shorter one", async () => {
  const { requester, sockets } = await asking((_, response) => {
    response.writeHead(200, { "content-length": "100" })
    response.write("half")
  })
  const received = await requester.request(outgoing())
  received.body.once("data", () => {
    for (const socket of sockets) socket.destroy()
  })
  await expect(wholeBody(received)).rejects.toThrow()
})

test("closing lets what is under way end, and takes the connections away then", async () => {
  const answer = Promise.withResolvers<void>()
  const { requester, sockets } = await asking((_, response) => void answer.promise.then(() => response.end("late")))
  const asked = textOf(requester)
  const closed = requester.close()
  answer.resolve()
  expect(await asked).toBe("late")
  await closed
  await new Promise<void>((resolve) => {
    const [socket] = sockets
    if (socket === undefined) resolve()
    else socket.once("close", () => resolve())
  })
  expect(sockets.size).toBe(0)
})

test.each(["close", "destroy"] as const)("after %s nothing new is taken, and no connection opened", async (way) => {
  let asked = 0
  const { requester, sockets } = await asking((_, response) => {
    asked++
    response.end("{}")
  })
  await requester[way]()
  await expect(requester.request(outgoing())).rejects.toThrow("the connections are closed")
  expect({ asked, sockets: sockets.size }).toEqual({ asked: 0, sockets: 0 })
})

test("a host that never takes the connection is given up in time", async () => {
  // A socket that never says that it is connected.
  const connect = ((target: net.TcpNetConnectOpts) => net.connect({ ...target, lookup: () => {} })) as typeof net.connect
  const requester = requesterFor("http://never.invalid", { connectTimeout: 10, connect })
  open.push(() => requester.destroy())
  await expect(requester.request(outgoing())).rejects.toMatchObject({ code: "ETIMEDOUT" })
})

test("an abort ends a request that waits for its answer", async () => {
  const { requester } = await asking(() => {})
  const stopping = new AbortController()
  const asked = requester.request(outgoing(stopping.signal))
  stopping.abort()
  await expect(asked).rejects.toMatchObject({ name: "AbortError" })
})

test("a server that changes the protocol without being asked fails the request, which hung", async () => {
  const server = net.createServer((socket) => {
    socket.on("error", () => undefined)
    socket.once("data", () => socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: soup\r\n\r\n"))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const requester = requesterFor(`http://127.0.0.1:${(server.address() as net.AddressInfo).port}`)
  open.push(
    () => server.close(),
    () => requester.destroy(),
  )
  await expect(requester.request(outgoing())).rejects.toThrow('expected an answer in HTTP, found a change of the protocol to "soup"')
})
