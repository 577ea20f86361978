import { VirtualClock } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import type { Credentials } from "./connection.ts"
import { httpTransport } from "./http-transport.ts"
import { fixed, get, testConnections, textOf } from "./testing/connections.ts"

const { started, connected } = testConnections()

describe("credentials", () => {
  test.each(["HTTP", "HTTP/1.1 over TLS", "HTTP/2"] as const)("do not follow a redirect to another server (%s)", async (protocol) => {
    let stolen = 0
    const thief = await started((_, response) => {
      stolen++
      response.end("{}")
    })
    const { url } = await started(
      (_, response) => {
        response.writeHead(307, { location: `${thief.url}/api/v1/pods` })
        response.end("{}")
      },
      { protocol },
    )
    const answer = await connected({ server: url, credentials: fixed({ authorization: "Bearer secret" }) })(get)
    expect([answer.status, stolen]).toEqual([307, 0])
  })

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

  test.each([
    ["a second 401 is the answer", true, 2],
    ["a 401 is the answer where there are no others", false, 1],
  ])("%s", async (_, others, asked) => {
    let requests = 0
    const { url } = await started((_, response) => {
      requests++
      response.writeHead(401)
      response.end("{}")
    })
    const credentials: Credentials = { present: async () => ({ authorization: "Bearer x" }), refused: async () => others }
    expect((await connected({ server: url, credentials })(get)).status).toBe(401)
    expect(requests).toBe(asked)
  })

  test("that cannot be had fail the request, and say why", async () => {
    const { url } = await started((_, response) => response.end("{}"))
    const credentials: Credentials = { present: () => Promise.reject(new Error("the plugin is ill")), refused: async () => false }
    await expect(connected({ server: url, credentials })(get)).rejects.toMatchObject({
      code: "CONNECTION_LOST",
      retryable: false,
      message: "GET /api/v1/pods was not sent: the plugin is ill",
      cause: { message: "the plugin is ill" },
    })
  })

  test("that are requested again after a 401 and never come do not hold the request: its signal ends it, or its time", async () => {
    const { url } = await started((_, response) => {
      response.writeHead(401)
      response.end("{}")
    })
    const clock = new VirtualClock()
    let asked = Promise.withResolvers<void>()
    const refused = () => {
      asked.resolve()
      return new Promise<boolean>(() => {})
    }
    const transport = connected({ server: url, credentials: { present: async () => ({}), refused } }, { clock })
    const stop = new AbortController()
    const stopped = transport({ ...get, signal: stop.signal })
    await asked.promise
    stop.abort()
    await expect(stopped).rejects.toMatchObject({ code: "ABORTED" })
    asked = Promise.withResolvers()
    const late = transport(get).catch((error: unknown) => error)
    await asked.promise
    await clock.advance("90s")
    expect(await late).toMatchObject({ code: "CONNECTION_LOST" })
  })

  test("are closed with the transport: no request needs them any more", async () => {
    let closed = 0
    const credentials: Credentials = { present: async () => ({}), refused: async () => false, close: () => void closed++ }
    const made = httpTransport({ server: "https://127.0.0.1:1", authorities: () => undefined, credentials }, { clock: new VirtualClock() })
    await made.close()
    expect(closed).toBe(1)
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
