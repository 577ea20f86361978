import { createServer, type Socket } from "node:net"
import { type Frame, type Transport, type TransportRequest, VirtualClock, valueBody } from "@pilothouse/seams"
import { carrierContract, echoServer, transportContract } from "@pilothouse/seams/contracts/transport"
import { systemClock } from "@pilothouse/seams/system"
import { afterEach, describe, expect, test } from "vitest"
import { anonymous, type Connection, type Credentials } from "./connection.ts"
import { type HttpTransportOptions, httpTransport } from "./http-transport.ts"
import { ca, clientCertificate, clientKey, expiredServerCertificate, expiredServerKey, otherCa } from "./test-certificates.ts"
import { type Protocol, serve, type TestHandler, type TestServer, type TestServerOptions, testServer } from "./test-server.ts"

const protocols: readonly Protocol[] = ["HTTP/2", "HTTP/1.1 over TLS", "HTTP"]
const get: TransportRequest = { verb: "GET", path: "/api/v1/pods", query: {}, headers: {} }
const watch: TransportRequest = { ...get, query: { watch: "true" } }

const open: AsyncDisposable[] = []
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
})

async function started(handler: TestHandler, options?: TestServerOptions): Promise<TestServer> {
  const server = await testServer(handler, options)
  open.push(server)
  return server
}

function connected(connection: Partial<Connection> & { server: string }, options: Partial<HttpTransportOptions> = {}): Transport {
  const made = httpTransport({ authorities: () => ca, credentials: anonymous, ...connection }, { clock: systemClock, ...options })
  open.push(made)
  return made.transport
}

for (const protocol of protocols) {
  transportContract(`http-transport, ${protocol}`, async () => {
    const { transport, ...requests } = echoServer()
    return { ...requests, transport: connected({ server: (await started(serve(transport), { protocol })).url }) }
  })
  carrierContract(`http-transport, ${protocol}`, async (server) => connected({ server: (await started(serve(server), { protocol })).url }))
}

describe.each(protocols)("over %s", (protocol) => {
  test("the path of the server's address comes first", async () => {
    const server = await started((request, response) => response.end(JSON.stringify(request.url)), { protocol })
    const transport = connected({ server: `${server.url}/k8s/clusters/c-1/` })
    expect(await textOf(transport, { ...get, query: { limit: "5" } })).toBe('"/k8s/clusters/c-1/api/v1/pods?limit=5"')
  })

  test("an answer that is not JSON comes as bytes with its content type", async () => {
    const server = await started(
      (_, response) => {
        response.writeHead(502, { "content-type": "text/html" })
        response.end("<html>bad gateway</html>")
      },
      { protocol },
    )
    const { status, body } = await connected({ server: server.url })(get)
    expect({ status, body }).toEqual({ status: 502, body: { type: "bytes", contentType: "text/html", bytes: expect.any(Uint8Array) } })
  })

  describe("a reader", () => {
    const readers = () => {
      const made: string[] = []
      const reader = () => {
        const at = made.push("") - 1
        return { push: (chunk: Uint8Array) => void (made[at] += Buffer.from(chunk).toString()), end: () => ({ read: made[at] }) }
      }
      return { made, reader }
    }
    const answering = (status: number, type: string) =>
      started((_, response) => void (response.writeHead(status, { "content-type": type }), response.end('{"kind":"PodList"}')), {
        protocol,
      })

    test("is given an answer in JSON, and its value is the body", async () => {
      const { made, reader } = readers()
      const { body } = await connected({ server: (await answering(200, "application/json; charset=utf-8")).url })({ ...get, reader })
      expect(body).toEqual({ type: "value", value: { read: '{"kind":"PodList"}' } })
      expect(made).toHaveLength(1)
    })

    const others: readonly (readonly [string, number, string])[] = [
      ["a refusal", 403, "application/json"],
      ["something else than JSON", 200, "text/html"],
    ]
    test.each(others)("is not asked about %s", async (_, status, type) => {
      const { made, reader } = readers()
      const { body } = await connected({ server: (await answering(status, type)).url })({ ...get, reader })
      expect(body).toMatchObject({ type: "bytes" })
      expect(made).toEqual([])
    })

    test("of an answer that was cut off gives nothing: the connection is lost", async () => {
      const server = await started(
        (_, response) => {
          response.writeHead(200, { "content-type": "application/json", "content-length": "1000" })
          response.write('{"kind":')
        },
        { protocol },
      )
      const reader = () => ({
        push() {
          for (const socket of server.sockets) socket.destroy()
        },
        end: () => expect.unreachable(),
      })
      await expect(connected({ server: server.url })({ ...get, reader })).rejects.toMatchObject({ code: "CONNECTION_LOST" })
    })
  })

  test("a server that refuses a body before it has read it is heard: 413", async () => {
    const server = await started(
      (_, response) => {
        response.writeHead(413)
        response.end("too large")
      },
      { protocol },
    )
    const body = valueBody({ data: "x".repeat(3_000_000) })
    expect((await connected({ server: server.url })({ ...get, verb: "POST", body })).status).toBe(413)
  })

  test("a stream whose connection is cut throws CONNECTION_LOST after what came", async () => {
    const server = await started(
      (_, response) => {
        response.writeHead(200)
        response.write('{"type":"ADDED"')
      },
      { protocol },
    )
    const frames = await framesOf(connected({ server: server.url }), watch)
    expect(await frames.next()).toMatchObject({ value: { type: "bytes" } })
    for (const socket of server.sockets) socket.destroy()
    await expect(frames.next()).rejects.toMatchObject({
      code: "CONNECTION_LOST",
      retryable: true,
      message: expect.stringMatching(/^GET https?:\/\/127\.0\.0\.1:\d+\/api\/v1\/pods failed: /),
    })
  })

  test("a connection that is cut before the answer throws CONNECTION_LOST, and the next request has a new one", async () => {
    let cut = true
    const server = await started(
      (_, response) => {
        if (!cut) response.end("{}")
        else for (const socket of server.sockets) socket.destroy()
        cut = false
      },
      { protocol },
    )
    const transport = connected({ server: server.url })
    await expect(transport(get)).rejects.toMatchObject({ code: "CONNECTION_LOST", retryable: true })
    expect(await textOf(transport, get)).toBe("{}")
  })

  test("a stream that was never read is ended by leaving it", async () => {
    const closed = Promise.withResolvers<void>()
    const server = await started(
      (_, response) => {
        response.writeHead(200)
        response.write("{}\n")
        response.on("close", closed.resolve)
      },
      { protocol },
    )
    const frames = await framesOf(connected({ server: server.url }), watch)
    await frames.return?.()
    await closed.promise
  })

  test("a slow reader slows the server", async () => {
    const line = `${"x".repeat(65_535)}\n`
    let written = 0
    const server = await started(
      (_, response) => {
        response.writeHead(200)
        const fill = (): void => {
          while (written < 10_000 && response.write(line)) written++
        }
        response.on("drain", fill)
        fill()
      },
      { protocol },
    )
    const frames = await framesOf(connected({ server: server.url }), watch)
    await frames.next()
    // Without back-pressure about 64 KB would flow with each turn of the event loop; what the kernel and the windows hold is a few MB.
    for (let turn = 0; turn < 1000; turn++) await new Promise((resolve) => setImmediate(resolve))
    expect(written).toBeLessThan(500)
    await frames.return?.()
  })

  test("no answer in time is CONNECTION_LOST", async () => {
    const clock = new VirtualClock()
    const asked = Promise.withResolvers<void>()
    const server = await started(() => asked.resolve(), { protocol })
    const failure = connected({ server: server.url }, { clock })(get).catch((error: unknown) => error)
    await asked.promise
    await clock.advance("90s")
    expect(await failure).toMatchObject({
      code: "CONNECTION_LOST",
      message: "GET /api/v1/pods was not answered within 90000 ms; check that the server is well",
    })
  })

  test("a stream may be silent for as long as it likes", async () => {
    const clock = new VirtualClock()
    const begun = Promise.withResolvers<() => void>()
    const server = await started(
      (_, response) => {
        response.writeHead(200)
        response.write("{}\n")
        begun.resolve(() => response.end("[]\n"))
      },
      { protocol },
    )
    const frames = await framesOf(connected({ server: server.url }, { clock }), watch)
    const finish = await begun.promise
    await frames.next()
    await clock.advance("10h")
    finish()
    expect(await frames.next()).toMatchObject({ done: false })
    expect(await frames.next()).toMatchObject({ done: true })
  })
})

describe("TLS says what is wrong and what to do", () => {
  const signed =
    'the server\'s certificate is signed by an unknown authority; put the authority that signed it into "certificate-authority-data" of the cluster'
  const rows: Record<string, { server?: TestServerOptions; client?: Partial<Connection>; says: string }> = {
    "an expired certificate": {
      server: { certificate: expiredServerCertificate, key: expiredServerKey },
      says: "the server's certificate has expired; renew it on the server, and check the clock of this machine (certificate has expired)",
    },
    "an unknown authority": { client: { authorities: () => otherCa }, says: `${signed} (unable to verify the first certificate` },
    "no authority": { client: { authorities: () => undefined }, says: `${signed} (unable to verify the first certificate` },
    "another name": {
      client: { serverName: "kubernetes.default" },
      says: 'the server\'s certificate is for another name; use one of its names in "server", or set "tls-server-name" (Hostname/IP does not match certificate\'s altnames: Host: kubernetes.default. is not in the cert\'s altnames: DNS:localhost, IP Address:127.0.0.1)',
    },
  }
  test.each(Object.entries(rows))("%s", async (_, { server, client, says }) => {
    const { url } = await started((__, response) => response.end("{}"), { protocol: "HTTP/1.1 over TLS", ...server })
    const failure = connected({ server: url, ...client })(get)
    await expect(failure).rejects.toMatchObject({ code: "CONNECTION_LOST", retryable: false, message: expect.stringContaining(says) })
  })

  test("a server without TLS", async () => {
    const { port } = await started((_, response) => response.end("{}"), { protocol: "HTTP" })
    await expect(connected({ server: `https://127.0.0.1:${port}` })(get)).rejects.toMatchObject({
      message: expect.stringContaining('the server does not speak TLS; check the port, or begin "server" with http://'),
    })
  })

  test("nobody there", async () => {
    const server = await testServer(() => {})
    await server.close()
    await expect(connected({ server: server.url })(get)).rejects.toMatchObject({
      code: "CONNECTION_LOST",
      retryable: true,
      message: `GET ${server.url}/api/v1/pods failed: nothing listens there; check that the API server runs, and the port (connect ECONNREFUSED 127.0.0.1:${server.port})`,
    })
  })

  test("tls-server-name: the certificate is that of another name than the address", async () => {
    const { url } = await started((_, response) => response.end("{}"))
    expect(await textOf(connected({ server: url, serverName: "localhost" }), get)).toBe("{}")
  })

  test("insecure-skip-tls-verify: any certificate will do", async () => {
    const { url } = await started((_, response) => response.end("{}"), { certificate: expiredServerCertificate, key: expiredServerKey })
    expect(await textOf(connected({ server: url, insecure: true, authorities: () => undefined }), get)).toBe("{}")
  })

  test("a client certificate identifies", async () => {
    const credentials = fixed({ certificate: clientCertificate, key: clientKey })
    const { url } = await started((_, response) => response.end("{}"), { clientCertificates: true })
    expect(await textOf(connected({ server: url, credentials }), get)).toBe("{}")
  })
})

describe("credentials", () => {
  test("are tried again once after a 401 when there are new ones", async () => {
    const seen: unknown[] = []
    const { url } = await started((request, response) => {
      seen.push(request.headers.authorization)
      response.writeHead(request.headers.authorization === "Bearer new" ? 200 : 401)
      response.end("{}")
    })
    let token = "old"
    const credentials: Credentials = {
      present: async () => ({ authorization: `Bearer ${token}` }),
      refused: async () => {
        const changed = token !== "new"
        token = "new"
        return changed
      },
    }
    expect((await connected({ server: url, credentials })(get)).status).toBe(200)
    expect(seen).toEqual(["Bearer old", "Bearer new"])
  })

  test("a second 401 is the answer", async () => {
    const { url } = await started((_, response) => {
      response.writeHead(401)
      response.end("{}")
    })
    const credentials: Credentials = { present: async () => ({ authorization: "Bearer x" }), refused: async () => true }
    expect((await connected({ server: url, credentials })(get)).status).toBe(401)
  })

  test("that cannot be had fail the request, and say why", async () => {
    const { url } = await started((_, response) => response.end("{}"))
    const credentials: Credentials = { present: () => Promise.reject(new Error("the plugin is ill")), refused: async () => false }
    await expect(connected({ server: url, credentials })(get)).rejects.toMatchObject({
      code: "CONNECTION_LOST",
      retryable: false,
      message: "GET /api/v1/pods was not sent",
      cause: { message: "the plugin is ill" },
    })
  })

  test("a caller's own Authorization header wins", async () => {
    const { url } = await started((request, response) => response.end(String(request.headers.authorization)))
    const transport = connected({ server: url, credentials: fixed({ authorization: "Bearer mine" }) })
    expect(await textOf(transport, { ...get, headers: { authorization: "Bearer other" } })).toBe("Bearer other")
  })

  test("groups to act as are headers of their own", async () => {
    const { url } = await started((request, response) => response.end(JSON.stringify(request.headers["impersonate-group"])), {
      protocol: "HTTP",
    })
    const headers = { "impersonate-group": ["a", "b"] }
    expect(await textOf(connected({ server: url, headers }), get)).toBe('"a, b"')
  })
})

describe("connections", () => {
  test("one HTTP/2 connection carries watches and requests", async () => {
    const server = await started((request, response) => {
      response.writeHead(200)
      if (request.url?.includes("watch")) response.write("{}\n")
      else response.end("{}")
    })
    const transport = connected({ server: server.url })
    const watches = await Promise.all(Array.from({ length: 30 }, () => framesOf(transport, watch)))
    await Promise.all(Array.from({ length: 50 }, () => transport(get)))
    expect(server.sockets.size).toBe(1)
    await Promise.all(watches.map((frames) => frames.return?.()))
  })

  test("new authorities are used for the next request; a watch that is open goes on", async () => {
    let authorities = ca
    const server = await started((request, response) => {
      response.writeHead(200)
      if (request.url?.includes("watch")) setImmediate(() => response.write("{}\n"))
      else response.end("{}")
    })
    const transport = connected({ server: server.url, authorities: () => authorities })
    const frames = await framesOf(transport, watch)
    authorities = otherCa
    await expect(transport(get)).rejects.toMatchObject({ message: expect.stringContaining("signed by an unknown authority") })
    expect(await frames.next()).toMatchObject({ done: false })
    authorities = ca
    expect((await transport(get)).status).toBe(200)
    await frames.return?.()
  })

  test("a connection that swallows everything is given up when pings stay without an answer", async () => {
    const server = await started((_, response) => {
      response.writeHead(200)
      response.write("{}\n")
    })
    const relay = await swallowing(server.port)
    const frames = await framesOf(connected({ server: `https://127.0.0.1:${relay.port}` }, { pingInterval: 20 }), watch)
    await frames.next()
    relay.swallow()
    await expect(frames.next()).rejects.toMatchObject({
      code: "CONNECTION_LOST",
      message: expect.stringContaining("nothing was heard from the server for 60 ms, not even an answer to a ping"),
    })
  })

  test("closing ends what is under way, and refuses what comes later", async () => {
    const server = await started((_, response) => {
      response.writeHead(200)
      response.write("{}\n")
    })
    const made = httpTransport({ server: server.url, authorities: () => ca, credentials: anonymous }, { clock: systemClock })
    const frames = await framesOf(made.transport, watch)
    await frames.next()
    await made.close()
    await expect(frames.next()).rejects.toMatchObject({ code: "CONNECTION_LOST" })
    await expect(made.transport(get)).rejects.toMatchObject({ message: expect.stringContaining("the transport is closed; make a new one") })
  })
})

describe("a proxy", () => {
  test("tunnels to the server, with user and password", async () => {
    const server = await started((_, response) => response.end("{}"))
    const proxy = await tunnelling(200)
    const transport = connected({ server: server.url, proxy: `http://jane:secret@127.0.0.1:${proxy.port}` })
    expect(await textOf(transport, get)).toBe("{}")
    expect(proxy.heads[0]).toContain(`CONNECT 127.0.0.1:${server.port} HTTP/1.1`)
    expect(proxy.heads[0]).toContain(`proxy-authorization: Basic ${Buffer.from("jane:secret").toString("base64")}`)
  })

  test("that refuses is named", async () => {
    const server = await started((_, response) => response.end("{}"))
    const proxy = await tunnelling(407)
    await expect(connected({ server: server.url, proxy: `http://127.0.0.1:${proxy.port}` })(get)).rejects.toMatchObject({
      message: expect.stringContaining(
        `the proxy 127.0.0.1:${proxy.port} answered 407 when asked for a tunnel to 127.0.0.1:${server.port}; check the proxy's address, and user and password in it`,
      ),
    })
  })

  test("that is not there is named", async () => {
    const gone = await testServer(() => {})
    await gone.close()
    const server = await started((_, response) => response.end("{}"))
    await expect(connected({ server: server.url, proxy: `http://127.0.0.1:${gone.port}` })(get)).rejects.toMatchObject({
      message: expect.stringContaining("nothing listens there"),
    })
  })
})

function fixed(presented: Awaited<ReturnType<Credentials["present"]>>): Credentials {
  return { present: async () => presented, refused: async () => false }
}

async function textOf(transport: Transport, request: TransportRequest): Promise<string> {
  const { body } = await transport(request)
  if (body.type !== "bytes") throw new Error(`expected bytes, found ${body.type}`)
  return Buffer.from(body.bytes).toString()
}

async function framesOf(transport: Transport, request: TransportRequest): Promise<AsyncIterator<Frame>> {
  const { body } = await transport(request)
  if (body.type !== "stream") throw new Error(`expected a stream, found ${body.type}`)
  return body.frames[Symbol.asyncIterator]()
}

/** A way to a port that can be made to carry nothing any more, without closing. */
async function swallowing(target: number): Promise<{ port: number; swallow(): void }> {
  let carries = true
  return listening(
    (client, connect) => {
      const server = connect(target)
      client.on("data", (data) => carries && server.write(data))
      server.on("data", (data) => carries && client.write(data))
    },
    () => {
      carries = false
    },
  )
}

async function listening(
  accept: (client: Socket, connect: (port: number) => Socket) => void,
  swallow: () => void = () => {},
): Promise<{ port: number; swallow(): void }> {
  const { connect } = await import("node:net")
  const sockets = new Set<Socket>()
  const kept = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on("error", () => {})
  }
  const server = createServer((client) => accept(kept(client), (port) => kept(connect(port, "127.0.0.1"))))
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  open.push({
    [Symbol.asyncDispose]: async () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  })
  return { port: (server.address() as { port: number }).port, swallow }
}

/** A proxy that answers CONNECT with a status, and tunnels if it is 200. */
async function tunnelling(status: number): Promise<{ port: number; heads: readonly string[] }> {
  const heads: string[] = []
  const { port } = await listening((client, connect) => {
    client.once("data", (data) => {
      const head = data.toString()
      heads.push(head)
      const target = Number(/CONNECT 127\.0\.0\.1:(\d+)/.exec(head)?.[1])
      client.write(`HTTP/1.1 ${status} Whatever\r\n\r\n`)
      if (status !== 200) return
      const server = connect(target)
      client.pipe(server)
      server.pipe(client)
    })
  })
  return { port, heads }
}
