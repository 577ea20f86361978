import * as http2 from "node:http2"
import { createServer, type ServerHttp2Stream } from "node:http2"
import { type AddressInfo, connect, type Socket } from "node:net"
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest"
import { Http2Session } from "./http2-session.ts"
import type { Outgoing } from "./requester.ts"
import { readBody, wholeBody } from "./whole-body.ts"

const get: Omit<Outgoing, "signal"> = { origin: "", path: "/api/v1/pods", method: "GET", headers: {}, body: null }
const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0).reverse()) close()
})

interface Opened {
  readonly session: Http2Session
  readonly socket: Socket
  get(signal?: AbortSignal): ReturnType<Http2Session["request"]>
}

/** A connection without TLS: what is tested is what comes after the handshake. */
async function opened(answer: (stream: ServerHttp2Stream) => void, settings: http2.Settings = {}): Promise<Opened> {
  const server = createServer({ settings })
  server.on("stream", (stream) => {
    stream.on("error", () => {})
    answer(stream)
  })
  server.on("sessionError", () => {})
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  const { port } = server.address() as AddressInfo
  const socket = connect(port, "127.0.0.1")
  await new Promise<void>((resolve) => {
    socket.once("connect", resolve)
  })
  const session = new Http2Session(http2, `http://127.0.0.1:${port}`, socket, { ping: 15_000, silence: 45_000 })
  open.push(
    () => void server.close(),
    () => session.destroy(new Error("the test is over")),
  )
  return { session, socket, get: (signal = new AbortController().signal) => session.request({ ...get, signal }) }
}

function answerWith(text: string): (stream: ServerHttp2Stream) => void {
  return (stream) => {
    stream.respond({ ":status": 200 })
    stream.end(text)
  }
}

describe("an HTTP/2 connection", () => {
  test("has room for as many requests as the server allows, and for another when one has ended", async () => {
    const waiting: ServerHttp2Stream[] = []
    const { session, get } = await opened((stream) => void waiting.push(stream), { maxConcurrentStreams: 2 })
    const first = get()
    await vi.waitFor(() => expect(waiting).toHaveLength(1))
    expect(session.hasRoom).toBe(true)
    void get().catch(() => {})
    expect(session.hasRoom).toBe(false)
    answerWith("{}")(waiting[0]!)
    await wholeBody(await first)
    await vi.waitFor(() => expect(session.hasRoom).toBe(true))
  })

  test.each(["wholeBody", "readBody"] as const)("that is cut in the middle of an answer gives no shorter one (%s)", async (how) => {
    const { get, socket } = await opened((stream) => {
      stream.respond({ ":status": 200 })
      stream.write("half")
    })
    const received = await get()
    received.body.once("data", () => socket.destroy())
    const reader = { push() {}, end: () => expect.unreachable() }
    await expect(how === "wholeBody" ? wholeBody(received) : readBody(received, reader)).rejects.toThrow(
      "closed before the whole answer had come",
    )
  })

  test("that is closed takes nothing new, and lets what was begun end", async () => {
    const waiting = Promise.withResolvers<ServerHttp2Stream>()
    const { session, get } = await opened(waiting.resolve)
    const asked = get()
    const stream = await waiting.promise
    session.close()
    expect(session.hasRoom).toBe(false)
    answerWith("late")(stream)
    expect(await wholeBody(await asked)).toMatchObject({ bytes: Buffer.from("late") })
    await session.closed
  })

  test("that nothing used for 90 s is closed", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    onTestFinished(() => void vi.useRealTimers())
    const { session, get } = await opened(answerWith("{}"))
    vi.advanceTimersByTime(89_000)
    const received = await get()
    vi.advanceTimersByTime(10 * 90_000)
    expect(session.hasRoom).toBe(true)
    const ended = new Promise((resolve) => received.body.once("close", resolve))
    await wholeBody(received)
    await ended
    vi.advanceTimersByTime(90_000)
    await session.closed
    expect(session.hasRoom).toBe(false)
  })

  test("ends a request by its signal, and goes on for the others", async () => {
    const { session, get } = await opened(() => {})
    const stop = new AbortController()
    const asked = get(stop.signal)
    stop.abort()
    await expect(asked).rejects.toMatchObject({ name: "AbortError" })
    expect(session.hasRoom).toBe(true)
  })

  test("says who ended it", async () => {
    const { session, get } = await opened(() => {})
    const asked = get()
    session.destroy(new Error("nothing was received"))
    await expect(asked).rejects.toThrow("nothing was received")
  })
})
