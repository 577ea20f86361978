import { throwIfAborted } from "./abort.ts"
import type { Clock } from "./clock.ts"
import { PilothouseError } from "./errors.ts"
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

export type Script = (request: TransportRequest, index: number) => Fault

/** Plays faults on the way to another transport. The script sees each request and its number, from 0. */
export function scriptedTransport(inner: Transport, script: Script, clock: Clock): Transport {
  let index = 0
  return async (request) => {
    const fault = script(request, index++)
    if (fault.do === "lose-request") throw lost(request, "before the request was sent")
    if (fault.do === "answer") return fault.response
    if (fault.do === "delay") await clock.sleep(fault.milliseconds, { signal: request.signal, name: "scripted delay" })
    throwIfAborted(request.signal)
    const response = await inner(request)
    if (fault.do === "lose-answer") throw lost(request, "before the answer came")
    if ((fault.do === "cut" || fault.do === "silence") && response.body.type === "stream") {
      return { ...response, body: breakStream(response.body, fault, request) }
    }
    return response
  }
}

function breakStream(stream: Stream, fault: { do: "cut" | "silence"; after: number }, request: TransportRequest): Stream {
  async function* frames(): AsyncGenerator<Frame> {
    let passed = 0
    if (passed < fault.after) {
      for await (const frame of stream.frames) {
        yield frame
        if (++passed >= fault.after) break
      }
    }
    if (fault.do === "cut") throw lost(request, `after ${passed} frames`)
    await untilAborted(request.signal)
  }
  return { type: "stream", frames: frames() }
}

function untilAborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve()
    else signal?.addEventListener("abort", () => resolve(), { once: true })
  })
}

function lost(request: TransportRequest, when: string): PilothouseError {
  return new PilothouseError("CONNECTION_LOST", `the connection was lost ${when}: ${request.verb} ${request.path}`)
}
