import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { expect, test } from "vitest"
import { systemProbe } from "./system-probe.ts"

test("a probe left its connection open, which a server that drains waits for", async () => {
  const asked = Promise.withResolvers<string | undefined>()
  const server = createServer((request, answer) => {
    asked.resolve(request.headers.connection)
    answer.end("well")
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  await systemProbe.http(`http://127.0.0.1:${port}/`, {}, new AbortController().signal)
  expect(await asked.promise).toBe("close")
  server.close()
  server.closeAllConnections()
})

test("a body that did not end held the connection of its probe for ever", async () => {
  const closed = Promise.withResolvers<void>()
  const server = createServer((request, answer) => {
    request.socket.once("close", () => closed.resolve())
    answer.writeHead(200).write("and so on")
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  await systemProbe.http(`http://127.0.0.1:${port}/`, {}, new AbortController().signal)
  await closed.promise
  server.close()
})
