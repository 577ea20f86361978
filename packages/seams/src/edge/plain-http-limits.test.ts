import { once } from "node:events"
import { createServer } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { expect, test } from "vitest"
import { guardPlainHttp, plainHttpOptions } from "./plain-http-limits.ts"

test("a plain port limits the time of headers, of a request, and of an answer that is not read", async () => {
  const server = createServer(plainHttpOptions, (_, response) => response.end("ok"))
  const connections = guardPlainHttp(server)
  expect(server).toMatchObject({ headersTimeout: 30_000, requestTimeout: 60_000, timeout: 60_000 })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const accepted = once(server, "connection")
  const client = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => undefined)
  const [socket] = (await accepted) as [{ readonly timeout?: number }]
  expect([socket.timeout, connections.size]).toEqual([60_000, 1])
  connections.destroy()
  await once(client.resume(), "close")
  server.close()
})
