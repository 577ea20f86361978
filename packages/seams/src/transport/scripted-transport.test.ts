import { describe, expect, test } from "vitest"
import { VirtualClock } from "../clock/virtual-clock.ts"
import { type Fault, scriptedTransport } from "./scripted-transport.ts"
import { carrierContract, echoServer, transportContract } from "./transport.contract.ts"
import type { Frame, Transport, TransportRequest, TransportResponse } from "./transport.ts"
import { noBody } from "./transport.ts"

const pass = (inner: Transport) => scriptedTransport(inner, () => ({ do: "pass" }), new VirtualClock())
transportContract("scripted, passing all", () => ({ ...echoServer(), transport: pass(echoServer().transport) }))
carrierContract("scripted, passing all", pass)
carrierContract("scripted, cutting later", (inner) => scriptedTransport(inner, () => ({ do: "cut", after: 100 }), new VirtualClock()))

/** A transport with one fault before a server that counts its requests and knows when a stream is closed. */
function faulty(fault: Fault) {
  const clock = new VirtualClock()
  const { transport: inner, plain, endless } = echoServer()
  const served: TransportRequest[] = []
  const counting: Transport = (request) => {
    served.push(request)
    return inner(request)
  }
  return { transport: scriptedTransport(counting, () => fault, clock), clock, served, plain, endless }
}

describe("each fault", () => {
  test("lose-request: CONNECTION_LOST, and the server never sees it", async () => {
    const { transport, served, plain } = faulty({ do: "lose-request" })
    await expect(transport(plain)).rejects.toMatchObject({
      code: "CONNECTION_LOST",
      retryable: true,
      message: "the connection was lost before the request was sent: GET /echo",
    })
    expect(served).toHaveLength(0)
  })

  test("lose-answer: CONNECTION_LOST, and the server has carried it out", async () => {
    const { transport, served, plain } = faulty({ do: "lose-answer" })
    await expect(transport(plain)).rejects.toMatchObject({
      code: "CONNECTION_LOST",
      message: "the connection was lost before the answer came: GET /echo",
    })
    expect(served).toHaveLength(1)
  })

  test("lose-answer to a stream: the server sees the connection go", async () => {
    const { transport, served, endless } = faulty({ do: "lose-answer" })
    await expect(transport(endless)).rejects.toMatchObject({ code: "CONNECTION_LOST" })
    expect(served[0]?.signal?.aborted).toBe(true)
  })

  test("answer: the server is not asked", async () => {
    const response: TransportResponse = { status: 429, headers: { "retry-after": "1" }, body: noBody }
    const { transport, served, plain } = faulty({ do: "answer", response })
    expect(await transport(plain)).toBe(response)
    expect(served).toHaveLength(0)
  })

  test("delay: the server sees the request later", async () => {
    const { transport, clock, served, plain } = faulty({ do: "delay", milliseconds: 500 })
    const answer = transport(plain)
    await clock.advance(499)
    expect(served).toHaveLength(0)
    expect(clock.waiting()).toEqual(["scripted delay in 1 ms"])
    expect((await clock.run(answer))?.status).toBe(200)
    expect(clock.elapsed()).toBe(500)
  })

  test("delay: ends with ABORTED when the signal aborts", async () => {
    const { transport, clock, served, plain } = faulty({ do: "delay", milliseconds: 500 })
    const stop = new AbortController()
    const answer = transport({ ...plain, signal: stop.signal })
    stop.abort()
    await expect(clock.run(answer)).rejects.toMatchObject({ code: "ABORTED" })
    expect(served).toHaveLength(0)
  })

  test.each([0, 1, 3])("cut after %i frames: those come, then CONNECTION_LOST, and the server sees the connection go", async (after) => {
    const { transport, served, endless } = faulty({ do: "cut", after })
    const seen: Frame[] = []
    await expect(collect(await transport(endless), seen)).rejects.toMatchObject({
      code: "CONNECTION_LOST",
      message: `the connection was lost after ${after} frames: GET /watch`,
    })
    expect(seen).toHaveLength(after)
    expect(served[0]?.signal?.aborted).toBe(true)
  })

  test("cut: a response that is not a stream passes", async () => {
    const { transport, plain } = faulty({ do: "cut", after: 0 })
    expect((await transport(plain)).status).toBe(200)
  })

  test.each([0, 2])("silence after %i frames: those come, then nothing and no end, until the signal aborts", async (after) => {
    const { transport, clock, endless } = faulty({ do: "silence", after })
    const stop = new AbortController()
    const seen: Frame[] = []
    let ended = false
    const reading = transport({ ...endless, signal: stop.signal })
      .then((response) => collect(response, seen))
      .then(() => {
        ended = true
      })
    await clock.advance("24h")
    expect([seen.length, ended]).toEqual([after, false])
    stop.abort()
    await reading
  })
})

test("the script sees each request and its number", async () => {
  const { transport: inner, plain } = echoServer()
  const seen: string[] = []
  const transport = scriptedTransport(
    inner,
    ({ verb, path }, index) => {
      seen.push(`${index} ${verb} ${path}`)
      return index === 0 ? { do: "lose-request" } : { do: "pass" }
    },
    new VirtualClock(),
  )
  await expect(transport(plain)).rejects.toMatchObject({ code: "CONNECTION_LOST" })
  expect((await transport({ ...plain, verb: "POST" })).status).toBe(200)
  expect(seen).toEqual(["0 GET /echo", "1 POST /echo"])
})

async function collect({ body }: TransportResponse, into: Frame[]): Promise<void> {
  if (body.type !== "stream") throw new Error("expected a stream")
  for await (const frame of body.frames) into.push(frame)
}
