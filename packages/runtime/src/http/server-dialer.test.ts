import { createServer } from "node:net"
import { messageOf, valueBody } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { afterEach, describe, expect, test } from "vitest"
import { serverDialer } from "./server-dialer.ts"
import { ca, expiredServerCertificate, expiredServerKey, otherCa } from "./testing/certificates.ts"
import { testConnections } from "./testing/connections.ts"
import type { TestServerOptions } from "./testing/server.ts"

const { started } = testConnections()
const post = { verb: "POST", path: "/hook", query: { timeout: "10s" }, headers: {}, body: valueBody({ a: 1 }) } as const
const tls = { protocol: "HTTP/1.1 over TLS" } as const

let dialer = serverDialer({ clock: systemClock })
afterEach(async () => {
  await dialer[Symbol.asyncDispose]()
  dialer = serverDialer({ clock: systemClock })
})

describe("failures have the words of Go's client", () => {
  const rows: Record<string, { server?: TestServerOptions; to?: object; says: string }> = {
    "an unknown authority": {
      to: { caBundle: otherCa },
      says: "tls: failed to verify certificate: x509: certificate signed by unknown authority",
    },
    "no authority": {
      to: { caBundle: undefined },
      says: "tls: failed to verify certificate: x509: certificate signed by unknown authority",
    },
    "another name": {
      to: { serverName: "hook.default.svc" },
      says: "tls: failed to verify certificate: x509: certificate is valid for localhost, not hook.default.svc",
    },
    "an expired certificate": {
      server: { certificate: expiredServerCertificate, key: expiredServerKey },
      says: "tls: failed to verify certificate: x509: certificate has expired or is not yet valid",
    },
    "an answer that is too long": { to: { maxAnswerSize: 3 }, says: "expected an answer to POST /hook of at most 3 bytes" },
  }
  test.each(Object.entries(rows))("%s", async (_, { server, to, says }) => {
    const { url } = await started((__, response) => response.end('"long"'), { ...tls, ...server })
    await expect(dialer.dial({ server: url, caBundle: ca, ...to })(post)).rejects.toThrow(says)
  })

  test("nothing listens", async () => {
    const { port, close } = await started(() => {}, tls)
    await close()
    const failure = await dialer
      .dial({ server: `https://127.0.0.1:${port}` })(post)
      .catch(messageOf)
    expect(failure).toBe(`dial tcp 127.0.0.1:${port}: connect: connection refused`)
  })

  test("nothing listens at a name, and the error has the address that it stands for", async () => {
    const { port, close } = await started(() => {}, tls)
    await close()
    const failure = await dialer
      .dial({ server: `https://localhost:${port}` })(post)
      .catch(messageOf)
    expect(failure).toMatch(new RegExp(`^dial tcp (127\\.0\\.0\\.1|\\[::1\\]):${port}: connect: connection refused$`))
  })

  test("a server without TLS", async () => {
    const { port } = await started((_, response) => response.end(), { protocol: "HTTP" })
    const failure = await dialer
      .dial({ server: `https://127.0.0.1:${port}` })(post)
      .catch(messageOf)
    expect(failure).toBe("http: server gave HTTP response to HTTPS client")
  })

  test("a server that hangs up", async () => {
    const silent = createServer((socket) => socket.destroy())
    await new Promise<void>((listening) => silent.listen(0, "127.0.0.1", listening))
    const { port } = silent.address() as { port: number }
    const failure = await dialer
      .dial({ server: `https://127.0.0.1:${port}` })(post)
      .catch(messageOf)
    silent.close()
    expect(failure).toBe("EOF")
  })
})

test("requests to one server use one connection, and HTTP/1.1 with a server that has HTTP/2", async () => {
  const asked: unknown[] = []
  const { url, sockets } = await started(
    (request, response) => {
      asked.push((request as { httpVersion?: string }).httpVersion, request.url, request.headers.host)
      response.end("{}")
    },
    { ...tls },
  )
  for (const _ of [1, 2]) await dialer.dial({ server: url, caBundle: ca })({ ...post, headers: { host: "hook.default.svc:443" } })
  expect(sockets.size).toBe(1)
  expect(asked).toEqual(["1.1", "/hook?timeout=10s", "hook.default.svc:443", "1.1", "/hook?timeout=10s", "hook.default.svc:443"])
})

test("a stream is not cut when servers are dialed beyond those that are kept", async () => {
  const rest: (() => void)[] = []
  const { url } = await started((request, response) => {
    if (request.url !== "/log?follow=true") return void response.end("{}")
    response.writeHead(200, { "content-type": "text/plain" })
    response.write("first ")
    rest.push(() => response.end("last"))
  }, tls)
  const way = (serverName?: string) => dialer.dial({ server: url, insecure: true, ...(serverName === undefined ? {} : { serverName }) })
  const follow = { verb: "GET", path: "/log", query: { follow: "true" }, headers: {} } as const
  const { body } = await way()(follow)
  for (let server = 0; server < 201; server++) await way(`server-${server}.test`)(post)
  rest[0]?.()
  let text = ""
  if (body.type === "stream") for await (const frame of body.frames) if (frame.type === "bytes") text += Buffer.from(frame.bytes).toString()
  expect(text).toBe("first last")
})

test("a server that cannot be dialed is not kept: closing the dialer does not fail once more", async () => {
  const own = serverDialer({ clock: systemClock })
  const insecure = own.dial({ server: "http://127.0.0.1:1", authorization: "Bearer t" })
  await expect(insecure(post)).rejects.toThrow("expected an https address for a request with credentials")
  await expect(own[Symbol.asyncDispose]()).resolves.toBeUndefined()
})

test("a stream that is left before it was begun ends its connection", async () => {
  const { url, sockets } = await started((_, response) => void response.write("endless"), tls)
  const { body } = await dialer.dial({ server: url, insecure: true, streams: true })(post)
  expect([body.type, sockets.size]).toEqual(["stream", 1])
  if (body.type === "stream") await body.frames[Symbol.asyncIterator]().return?.()
  await expect.poll(() => sockets.size).toBe(0)
})
