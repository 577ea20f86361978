import { connect } from "node:net"
import { expect, test } from "vitest"
import { serveOpenStack } from "./serve.ts"

/** As it stands: a client of any library would send another. */
async function askRaw(authUrl: string, target: string): Promise<string> {
  const socket = connect(Number(new URL(authUrl).port), "127.0.0.1")
  socket.end(`GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`)
  return Buffer.concat(await Array.fromAsync(socket as AsyncIterable<Buffer>)).toString()
}

const rows: readonly (readonly [string, string])[] = [
  ["//", "400 Bad Request"],
  ["http://[", "400 Bad Request"],
  ["/nova/v2", "404 Not Found"],
]
test.each(rows)("GET %s, which is below no service, is answered with %s", async (target, status) => {
  await using served = await serveOpenStack(() => () => Promise.reject(new Error("nobody asks")))
  expect(await askRaw(served.authUrl, target)).toContain(`HTTP/1.1 ${status}`)
})
