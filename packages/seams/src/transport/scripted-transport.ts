import type { Clock } from "../clock/clock.ts"
import { abortWith, onAbort, throwIfAborted } from "../concurrency/abort.ts"
import { PilothouseError } from "../errors/errors.ts"
import type { Frame, Stream, Transport, TransportRequest, TransportResponse } from "./transport.ts"

/** What a script may do to one request. */
export type Fault =
  /** Lets it through. */
  | { readonly do: "pass" }
  /** Waits first. */
  | { readonly do: "delay"; readonly milliseconds: number }
  /** Answers without asking the server. */
  | { readonly do: "answer"; readonly response: TransportResponse }
  /** The connection breaks before the server sees the request. */
  | { readonly do: "lose-request" }
  /** The server carries it out, and the answer is lost. */
  | { readonly do: "lose-answer" }
  /** A stream breaks after so many frames. */
  | { readonly do: "cut"; readonly after: number }
  /** A half-open connection: after so many frames nothing comes any more, and no end either. */
  | { readonly do: "silence"; readonly after: number }

/** Chooses the fault of each request by the request and its number, from 0. */
export type Script = (request: TransportRequest, index: number) => Fault

/** Plays faults on the way to another transport. The script sees each request and its number, from 0. */
export function scriptedTransport(inner: Transport, script: Script, clock: Clock): Transport {
  let index = 0
  return async (request) => {
    throwIfAborted(request.signal)
    const fault = script(request, index++)
    if (fault.do === "lose-request") throw lost(request, "before the request was sent")
    if (fault.do === "answer") return fault.response
    if (fault.do === "lose-answer") return loseAnswer(inner, request)
    if (fault.do === "cut" || fault.do === "silence") return breakStream(inner, request, fault)
    if (fault.do === "delay") await clock.sleep(fault.milliseconds, { signal: request.signal, name: "scripted delay" })
    return inner(request)
  }
}

async function loseAnswer(inner: Transport, request: TransportRequest): Promise<never> {
  using connection = breakable(request.signal)
  await inner({ ...request, signal: connection.signal })
  throw lost(request, "before the answer came")
}

/** A response that is not a stream is whole before a frame could be counted: it passes. */
async function breakStream(
  inner: Transport,
  request: TransportRequest,
  fault: { readonly do: "cut" | "silence"; readonly after: number },
): Promise<TransportResponse> {
  const connection = breakable(request.signal)
  const response = await inner({ ...request, signal: connection.signal })
  const { body } = response
  if (body.type !== "stream") return response
  async function* frames(stream: Stream): AsyncGenerator<Frame> {
    const passed = yield* firstFrames(stream, fault.after, connection)
    if (passed < fault.after || request.signal?.aborted) return
    if (fault.do === "cut") throw lost(request, `after ${passed} frames`)
    await untilAborted(request.signal)
  }
  return { ...response, body: { type: "stream", frames: frames(body) } }
}

/**
 * Gives at most so many frames, and how many there were. The server's side ends then, for `silence` too:
 * a dead peer is found out sooner or later, and a script has no use for the time between.
 */
async function* firstFrames(stream: Stream, count: number, connection: Disposable): AsyncGenerator<Frame, number> {
  let passed = 0
  try {
    for await (const frame of count > 0 ? stream.frames : []) {
      yield frame
      if (++passed >= count) break
    }
    return passed
  } finally {
    connection[Symbol.dispose]()
  }
}

/** The server's end of a connection: its signal aborts with the caller's, and when the connection is broken by disposing it. */
function breakable(signal: AbortSignal | undefined): Disposable & { readonly signal: AbortSignal } {
  const broken = new AbortController()
  const listening = abortWith(broken, signal)
  return {
    signal: broken.signal,
    [Symbol.dispose]() {
      listening[Symbol.dispose]()
      broken.abort()
    },
  }
}

function untilAborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    onAbort(signal, resolve)
  })
}

function lost(request: TransportRequest, when: string): PilothouseError {
  return new PilothouseError("CONNECTION_LOST", `the connection was lost ${when}: ${request.verb} ${request.path}`)
}
