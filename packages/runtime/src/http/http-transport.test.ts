import { VirtualClock, valueBody } from "@pilothouse/seams"
import { carrierContract, echoServer, transportContract } from "@pilothouse/seams/contract"
import { describe, expect, test } from "vitest"
import { framesOf, get, testConnections, textOf, watch } from "./testing/connections.ts"
import { type Protocol, serve } from "./testing/server.ts"

const protocols: readonly Protocol[] = ["HTTP/2", "HTTP/1.1 over TLS", "HTTP"]
const { started, connected } = testConnections()

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
      const reader = (contentType: string) => {
        if (!contentType.startsWith("application/json")) return undefined
        const at = made.push("") - 1
        return { push: (chunk: Uint8Array) => void (made[at] += Buffer.from(chunk).toString()), end: () => ({ read: made[at] }) }
      }
      return { made, reader }
    }
    const answering = (status: number, type: string) =>
      started((_, response) => void (response.writeHead(status, { "content-type": type }), response.end('{"kind":"PodList"}')), {
        protocol,
      })

    test("is given an answer of a content type that it reads, and its value is the body", async () => {
      const { made, reader } = readers()
      const { body } = await connected({ server: (await answering(200, "application/json; charset=utf-8")).url })({ ...get, reader })
      expect(body).toEqual({ type: "value", value: { read: '{"kind":"PodList"}' } })
      expect(made).toHaveLength(1)
    })

    const others: readonly (readonly [string, number, string])[] = [
      ["a refusal", 403, "application/json"],
      ["a content type that it does not read", 200, "text/html"],
    ]
    test.each(others)("is given nothing of %s", async (_, status, type) => {
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

  test("the answer of a server that refuses a body before it has read it is received: 413", async () => {
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
