import { connect } from "node:net"
import { expect, test } from "vitest"
import { serveOpenStack } from "./serve.ts"

/** As it stands: a client of any library would send another. */
async function askRaw(authUrl: string, target: string, more: readonly string[] = ["host: 127.0.0.1"]): Promise<string> {
  const socket = connect(Number(new URL(authUrl).port), "127.0.0.1")
  socket.end([`GET ${target} HTTP/1.1`, "connection: close", ...more, "", ""].join("\r\n"))
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

test.each([[["host: evil.example"]], [["host: 127.0.0.1", "origin: http://evil.example"]]])(
  "a web page of another site (%s) has no access",
  async (headers) => {
    await using served = await serveOpenStack(() => () => Promise.reject(new Error("nobody asks")))
    expect(await askRaw(served.authUrl, "/keystone/v3", headers)).toContain("HTTP/1.1 403 Forbidden")
  },
)

test("a body that no request needs is refused, and is not kept", async () => {
  await using served = await serveOpenStack(() => () => Promise.reject(new Error("nobody asks")))
  const body = "x".repeat(4 * 1024 * 1024 + 1)
  const answer = await fetch(`${served.authUrl}/auth/tokens`, { method: "POST", body })
  expect([answer.status, await answer.text()]).toEqual([413, "expected a body of up to 4194304 bytes\n"])
})
