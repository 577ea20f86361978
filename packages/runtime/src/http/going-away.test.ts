import { constants, type ServerHttp2Session } from "node:http2"
import { describe, expect, test } from "vitest"
import { framesOf, get, testConnections, textOf, watch } from "./testing/connections.ts"
import type { TestResponse } from "./testing/server.ts"

const { started, connected } = testConnections()

describe("a server that asks its clients to leave", () => {
  const { NGHTTP2_NO_ERROR: none } = constants
  const ways: readonly (readonly [string, (session: ServerHttp2Session) => void])[] = [
    ["by GOAWAY", (session) => session.goaway(none)],
    ["as Go begins it", (session) => session.goaway(none, 2 ** 31 - 1)],
    ["by closing", (session) => session.close()],
  ]
  test.each(ways)("%s: the watch that is open goes on, and what is asked next has another connection", async (_, leave) => {
    const watching = Promise.withResolvers<TestResponse>()
    const server = await started((request, response) => {
      response.writeHead(200)
      if (request.url?.includes("watch")) {
        response.write("{}\n")
        watching.resolve(response)
      } else response.end("{}")
    })
    const transport = connected({ server: server.url })
    const frames = await framesOf(transport, watch)
    await frames.next()
    for (const session of server.sessions) leave(session)
    // What comes after it says that the client has received it.
    const response = await watching.promise
    response.write("{}\n")
    await frames.next()
    expect(await Promise.all([get, get, get].map((request) => textOf(transport, request)))).toEqual(["{}", "{}", "{}"])
    expect(server.sockets.size).toBe(2)
    response.write("{}\n")
    expect(await frames.next()).toMatchObject({ done: false })
    await frames.return?.()
  })
})
