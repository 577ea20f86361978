import { once } from "node:events"
import { get, type IncomingMessage, request as open } from "node:http"
import { connect } from "node:net"
import type { Transport } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { serveEndpoints } from "./serve-endpoints.ts"

const echo: Transport = async (request) => {
  if (request.path === "/broken") throw new Error("broken")
  const contentType = "text/plain"
  return {
    status: 200,
    headers: { "content-type": contentType },
    body: {
      type: "bytes",
      contentType,
      bytes: new TextEncoder().encode(`${request.verb} ${request.path} ${JSON.stringify(request.query)}`),
    },
  }
}

async function read(response: IncomingMessage) {
  const chunks = await Array.fromAsync(response as AsyncIterable<Buffer>)
  return { status: response.statusCode, text: Buffer.concat(chunks).toString() }
}

function ask(address: string, path: string, method = "GET", headers: Readonly<Record<string, string>> = {}) {
  return new Promise<{ status?: number; text: string }>((resolve, reject) => {
    const sent = method === "GET" ? get(`${address}${path}`, { headers }) : open(`${address}${path}`, { method, headers }).end()
    sent.on("response", (response) => resolve(read(response))).on("error", reject)
  })
}

/** As it stands: a client of any library would send another. */
async function askRaw(address: string, target: string): Promise<string> {
  const socket = connect(Number(new URL(address).port), "127.0.0.1")
  socket.end(`GET ${target} HTTP/1.1\r\nhost: 127.0.0.1\r\nconnection: close\r\n\r\n`)
  return Buffer.concat(await Array.fromAsync(socket as AsyncIterable<Buffer>)).toString()
}

test("answers on a port of the machine itself", async () => {
  await using served = await serveEndpoints(echo)
  expect(served.address).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect(await ask(served.address, "/readyz/a%20b?verbose&exclude=x&exclude=y")).toEqual({
    status: 200,
    text: 'GET /readyz/a%20b {"verbose":[""],"exclude":["x","y"]}',
  })
  expect(await ask(served.address, "/healthz", "HEAD")).toEqual({ status: 200, text: "" })
  expect(await ask(served.address, "/healthz", "POST", { "X-Pilothouse-Request": "1" })).toMatchObject({ text: "POST /healthz {}" })
  expect(await ask(served.address, "/broken")).toEqual({ status: 500, text: "Error: broken\n" })
})

test.each(["//", "http://[", "///"])("GET %s, which is no path, is refused, and ends no process", async (path) => {
  await using served = await serveEndpoints(echo)
  expect(await askRaw(served.address, path)).toContain("HTTP/1.1 400 Bad Request")
  expect(await ask(served.address, "/healthz")).toMatchObject({ status: 200 })
})

test("a port that is taken is said to be", async () => {
  await using served = await serveEndpoints(echo)
  const port = Number(new URL(served.address).port)
  await expect(serveEndpoints(echo, { port })).rejects.toMatchObject({
    code: "PORT_TAKEN",
    message: `could not listen on 127.0.0.1:${port}; give another host or port`,
  })
})

test("a port that there cannot be is said to be", async () => {
  await expect(serveEndpoints(echo, { port: 70_000 })).rejects.toMatchObject({
    code: "INVALID",
    message: "could not listen on 127.0.0.1:70000; give another host or port",
  })
})

test("closes with its signal", async () => {
  const stopping = new AbortController()
  const served = await serveEndpoints(echo, { signal: stopping.signal })
  stopping.abort()
  await served.close()
  await expect(ask(served.address, "/healthz")).rejects.toMatchObject({ code: "ECONNREFUSED" })
})

test.each([
  ["a name that DNS leads here", "GET", { host: "evil.example" }],
  ["a page of another site", "GET", { origin: "http://evil.example" }],
  ["a form of another site", "POST", { origin: "http://evil.example", "content-type": "text/plain", "X-Pilothouse-Request": "1" }],
  ["a request to change something without the header of ours", "POST", {}],
])("%s is refused with 403 and a reason", async (_, method, headers) => {
  await using served = await serveEndpoints(echo)
  const { status, text } = await ask(served.address, "/healthz", method, headers)
  expect([status, text]).toEqual([403, expect.stringMatching(/^expected .*, found .*; .*\n$/)])
})

test("a name that was given is taken", async () => {
  await using served = await serveEndpoints(echo, { hostNames: ["metrics.example"] })
  expect(await ask(served.address, "/healthz", "GET", { host: "metrics.example:8080" })).toMatchObject({ status: 200 })
})

test("closing does not wait for a client that says nothing", async () => {
  const served = await serveEndpoints(echo)
  const silent = connect(Number(new URL(served.address).port), "127.0.0.1").resume()
  await once(silent, "connect")
  await ask(served.address, "/healthz")
  await Promise.all([served.close(), once(silent, "close")])
})
