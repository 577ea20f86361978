import { connect } from "node:net"
import { expect, test } from "vitest"
import { type ServableOpenStack, serveOpenStack } from "./serve.ts"

const unused: ServableOpenStack = { connect: () => () => Promise.reject(new Error("not called")), hasToken: (token) => token === "known" }

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
  await using served = await serveOpenStack(unused)
  expect(await askRaw(served.authUrl, target)).toContain(`HTTP/1.1 ${status}`)
})

test.each([[["host: evil.example"]], [["host: 127.0.0.1", "origin: http://evil.example"]]])(
  "a web page of another site (%s) has no access",
  async (headers) => {
    await using served = await serveOpenStack(unused)
    expect(await askRaw(served.authUrl, "/keystone/v3", headers)).toContain("HTTP/1.1 403 Forbidden")
  },
)

test("a body that no request needs is refused, and is not kept", async () => {
  await using served = await serveOpenStack(unused)
  const body = "x".repeat(4 * 1024 * 1024 + 1)
  const ports = new URL("/neutron/v2.0/ports", served.authUrl)
  const answer = await fetch(ports, { method: "POST", body, headers: { "x-auth-token": "known" } })
  expect([answer.status, await answer.text()]).toEqual([413, "expected a body of up to 4194304 bytes\n"])
})

test("a body for Keystone, which comes without a token, has at most 64 KiB", async () => {
  await using served = await serveOpenStack(unused)
  const answer = await fetch(`${served.authUrl}/auth/tokens`, { method: "POST", body: "x".repeat(64 * 1024 + 1) })
  expect([answer.status, await answer.text()]).toEqual([413, "expected a body of up to 65536 bytes\n"])
})

test("a body without a token that is known is refused before it has come", async () => {
  await using served = await serveOpenStack(unused)
  const socket = connect(Number(new URL(served.authUrl).port), "127.0.0.1")
  // The body never comes.
  socket.write("POST /neutron/v2.0/ports HTTP/1.1\r\nhost: 127.0.0.1\r\nx-auth-token: guessed\r\ncontent-length: 1000000\r\n\r\n")
  const answer = Buffer.concat(await Array.fromAsync(socket as AsyncIterable<Buffer>)).toString()
  expect(answer).toContain("HTTP/1.1 401 Unauthorized")
  expect(answer).toContain("The request you have made requires authentication.")
})
