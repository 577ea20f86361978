import { once } from "node:events"
import { createServer } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { expect, test } from "vitest"
import { guardPlainHttp, plainHttpOptions } from "./plain-http-limits.ts"

test("a plain port limits the time of headers, of a request, and of an answer that is not read", async () => {
  const server = createServer(plainHttpOptions, (_, response) => response.end("ok"))
  const connections = guardPlainHttp(server)
  expect(server).toMatchObject({ headersTimeout: 30_000, requestTimeout: 60_000, timeout: 60_000, keepAliveTimeout: 0 })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const accepted = once(server, "connection")
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => undefined)
  const [socket] = (await accepted) as [{ readonly timeout?: number }]
  expect([socket.timeout, connections.size]).toEqual([60_000, 1])
  connections.destroy()
  await once(client.resume(), "close")
  server.close()
})

test("thousands of requests that wait for no answer are read one after the other, and answered, some in each turn", async () => {
  let [inTurn, max] = [0, 0]
  const server = createServer(plainHttpOptions, (_, response) => {
    if (++inTurn === 1) setImmediate(() => (inTurn = 0))
    max = Math.max(max, inTurn)
    response.end("ok")
  })
  const connections = guardPlainHttp(server)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1")
  client.write("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(5_000))
  client.write("POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\nConnection: close\r\n\r\n")
  let text = ""
  client.on("data", (chunk) => {
    text += String(chunk)
    if (text.includes("100 Continue")) client.write("hi")
  })
  await once(client, "close")
  expect([text.match(/HTTP\/1.1 200 OK/g)?.length, max < 64]).toEqual([5_001, true])
  connections.destroy()
  server.close()
})
