import { VirtualClock } from "@pilothouse/seams"
import { describe, expect, test } from "vitest"
import { get, testConnections } from "./testing/connections.ts"
import type { Protocol, TestResponse } from "./testing/server.ts"

const { started, connected } = testConnections()

describe.each<Protocol>(["HTTP/2", "HTTP/1.1 over TLS", "HTTP"])("a whole answer over %s", (protocol) => {
  /** A server that sends a piece at each call; each piece has come when the promise resolves. */
  async function dripping(clock: VirtualClock) {
    const response = Promise.withResolvers<TestResponse>()
    const server = await started(
      (_, answer) => {
        answer.writeHead(200, { "content-type": "application/json" })
        response.resolve(answer)
      },
      { protocol },
    )
    let came = Promise.withResolvers<void>()
    const pieces: string[] = []
    const reader = () => ({
      push(chunk: Uint8Array) {
        pieces.push(Buffer.from(chunk).toString())
        came.resolve()
      },
      end: () => pieces.join(""),
    })
    const asked = connected({ server: server.url }, { clock })({ ...get, reader })
    asked.catch(() => {})
    const answer = await response.promise
    const send = async (piece: string) => {
      came = Promise.withResolvers()
      answer.write(piece)
      await came.promise
    }
    return { asked, send, end: () => answer.end() }
  }

  test("may take as long as it likes while it comes", async () => {
    const clock = new VirtualClock()
    const { asked, send, end } = await dripping(clock)
    for (const piece of ["[1", ",2", ",3", "]"]) {
      await send(piece)
      await clock.advance("80s")
    }
    end()
    expect((await asked).body).toEqual({ type: "value", value: "[1,2,3]" })
  })

  test("that stops in the middle is CONNECTION_LOST", async () => {
    const clock = new VirtualClock()
    const { asked, send } = await dripping(clock)
    await clock.advance("30s")
    await send("[1")
    await clock.advance("89s")
    expect(await Promise.race([asked, "waits"])).toBe("waits")
    await clock.advance("1s")
    await expect(asked).rejects.toMatchObject({
      code: "CONNECTION_LOST",
      message: "GET /api/v1/pods was answered in part, and nothing more came for 90000 ms; check that the server is well",
    })
  })
})
