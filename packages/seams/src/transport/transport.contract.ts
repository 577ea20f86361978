import { describe, expect, test } from "vitest"
import { onAbort, throwIfAborted } from "../concurrency/abort.ts"
import {
  type Body,
  type Frame,
  noBody,
  type Stream,
  type Transport,
  type TransportRequest,
  type TransportResponse,
  valueBody,
} from "./transport.ts"

/** A transport with a server behind it, and three requests that the server knows. */
export interface TransportUnderTest {
  readonly transport: Transport
  /** Answered with 200 and a whole body. */
  readonly plain: TransportRequest
  /** Refused by the server with a status of 400 or more. */
  readonly refused: TransportRequest
  /** Answered with a stream that gives at least one frame and then stays open. */
  readonly endless: TransportRequest
  close?(): void | Promise<void>
}

/** The smallest server that a layer or a wire can be tested over: it answers /echo with what it got, and /watch with frames without end. */
export function echoServer(): TransportUnderTest {
  const transport: Transport = async (request): Promise<TransportResponse> => {
    throwIfAborted(request.signal)
    if (request.path === "/watch") return { status: 200, headers: {}, body: { type: "stream", frames: endlessFrames(request.signal) } }
    if (request.path !== "/echo") return { status: 404, headers: {}, body: valueBody({ message: `nothing at ${request.path}` }) }
    return { status: 200, headers: { "content-type": "application/json" }, body: request.body ?? noBody }
  }
  return { transport, plain: { ...get, path: "/echo" }, refused: { ...get, path: "/none" }, endless: { ...get, path: "/watch" } }
}

/** Three frames, and then silence until the signal aborts. */
async function* endlessFrames(signal: AbortSignal | undefined): AsyncGenerator<Frame> {
  for (const number of [1, 2, 3]) yield valueBody({ number })
  await new Promise<void>((resolve) => {
    onAbort(signal, resolve)
  })
}

/** What every Transport promises its caller: the embedded server's handler, HTTP, and any layer. */
export function transportContract(name: string, make: () => TransportUnderTest | Promise<TransportUnderTest>): void {
  const row = (title: string, check: (subject: TransportUnderTest) => Promise<void>): void =>
    test(title, async () => {
      const subject = await make()
      try {
        await check(subject)
      } finally {
        await subject.close?.()
      }
    })
  describe(`the transport contract: ${name}`, () => {
    row("a request is answered with a status, headers in lower case and a whole body", async ({ transport, plain }) => {
      const { status, headers, body } = await transport(plain)
      expect(status).toBe(200)
      expect(Object.keys(headers)).toEqual(Object.keys(headers).map((header) => header.toLowerCase()))
      expect(["value", "bytes"]).toContain(body.type)
    })

    row("a refusal is an answer, not an exception", async ({ transport, refused }) => {
      expect((await transport(refused)).status).toBeGreaterThanOrEqual(400)
    })

    row("a request whose signal has aborted is not answered: ABORTED", async ({ transport, plain }) => {
      await expect(transport({ ...plain, signal: AbortSignal.abort() })).rejects.toMatchObject({ code: "ABORTED" })
    })

    row("a stream gives frames while it is open, and ends without an error when the signal aborts", async ({ transport, endless }) => {
      const stop = new AbortController()
      const frames = framesOf(await transport({ ...endless, signal: stop.signal }))
      expect((await frames.next()).done).toBe(false)
      const rest = drain(frames)
      stop.abort()
      await rest
    })

    row("a stream may be left early, and the transport goes on", async ({ transport, plain, endless }) => {
      const frames = framesOf(await transport(endless))
      await frames.next()
      await frames.return?.()
      expect((await transport(plain)).status).toBe(200)
    })

    row("requests at the same time do not wait for each other", async ({ transport, plain, endless }) => {
      const stop = new AbortController()
      const frames = framesOf(await transport({ ...endless, signal: stop.signal }))
      const answers = await Promise.all([transport(plain), transport(plain)])
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      stop.abort()
      await drain(frames)
    })
  })
}

/** What a layer, or a wire, promises about what it carries: `connect` puts it in front of a server and gives the caller's side. */
export function carrierContract(name: string, connect: (server: Transport) => Transport | Promise<Transport>): void {
  const served = async (server: Transport, request: TransportRequest): Promise<TransportResponse> => (await connect(server))(request)

  describe(`the carrier contract: ${name}`, () => {
    test.each([
      ["verb and path", { verb: "DELETE", path: "/apis/apps/v1/namespaces/a%20b/deployments" }],
      ["query with repeated names and characters to escape", { query: { a: ["1", "2"], labelSelector: "app in (a,b),c!=ü&x" } }],
      ["headers", { headers: { "content-type": "application/merge-patch+json", "impersonate-user": "jane" } }],
      ["body", { verb: "POST", body: valueBody({ a: [1, null, "ü"], nested: { b: true } }) }],
    ] as const)("the server gets the %s", async (_, part) => {
      let seen: TransportRequest | undefined
      const request: TransportRequest = { verb: "GET", path: "/x", query: {}, headers: {}, ...part }
      await served(async (got) => {
        seen = got
        return { status: 200, headers: {}, body: noBody }
      }, request)
      expect({ ...seen, body: seen?.body && decoded(seen.body) }).toMatchObject(part)
    })

    test("the caller gets status, headers and body", async () => {
      const answer: TransportResponse = { status: 409, headers: { "retry-after": "3" }, body: valueBody({ kind: "Status", code: 409 }) }
      const got = await served(async () => answer, get)
      expect({ ...got, body: decoded(got.body) }).toMatchObject(answer)
    })

    test("frames come in order and the end comes", async () => {
      const body = { type: "stream", frames: framesFrom([1, 2, 3]) } as const
      const response = await served(async () => ({ status: 200, headers: {}, body }), get)
      expect(await valuesOf(response)).toEqual([{ number: 1 }, { number: 2 }, { number: 3 }])
    })

    test("leaving the for loop early ends the stream at the server", async () => {
      const ended = Promise.withResolvers<void>()
      const body = { type: "stream", frames: framesFrom([1, 2, 3], ended.resolve) } as const
      const frames = framesOf(await served(async () => ({ status: 200, headers: {}, body }), get))
      await frames.next()
      await frames.return?.()
      await ended.promise
    })

    test("the caller's abort reaches the server's signal", async () => {
      const stop = new AbortController()
      const reached = Promise.withResolvers<void>()
      const server: Transport = ({ signal }) => {
        signal?.addEventListener("abort", () => reached.resolve())
        stop.abort()
        return Promise.resolve({ status: 200, headers: {}, body: noBody })
      }
      await served(server, { ...get, signal: stop.signal }).catch((error: unknown) => expect(error).toMatchObject({ code: "ABORTED" }))
      await reached.promise
    })
  })
}

const get: TransportRequest = { verb: "GET", path: "/x", query: {}, headers: {} }

/** A body that a wire delivers as JSON bytes is as good as the value. */
function decoded(body: Body | Stream): Body | Stream {
  return body.type === "bytes" ? valueBody(JSON.parse(new TextDecoder().decode(body.bytes))) : body
}

async function* framesFrom(numbers: readonly number[], ended: () => void = () => {}): AsyncGenerator<Frame> {
  try {
    for (const number of numbers) yield valueBody({ number })
  } finally {
    ended()
  }
}

function framesOf({ body }: TransportResponse): AsyncIterator<Frame> {
  if (body.type !== "stream") throw new Error(`expected a stream, found a body of type ${body.type}`)
  return body.frames[Symbol.asyncIterator]()
}

async function drain(frames: AsyncIterator<Frame>): Promise<void> {
  while (!(await frames.next()).done);
}

/** The values of a stream of JSON, whether they came as values or as bytes with one value on each line. */
async function valuesOf({ body }: TransportResponse): Promise<unknown[]> {
  if (body.type !== "stream") throw new Error(`expected a stream, found a body of type ${body.type}`)
  const values: unknown[] = []
  let text = ""
  for await (const frame of body.frames) {
    if (frame.type === "value") values.push(frame.value)
    else text += new TextDecoder().decode(frame.bytes)
  }
  const lines = text.split("\n").filter((line) => line !== "")
  return [...values, ...lines.map((line): unknown => JSON.parse(line))]
}
