import type { ServerHttp2Stream } from "node:http2"
import type { Protocol } from "../session/responses.ts"
import type { OnFault } from "./edge-fault.ts"
import type { Stream, StreamPeer } from "./streams.ts"

/** As much of HTTP/2's stream as a call needs. */
export type CallStream = Pick<
  ServerHttp2Stream,
  | ("close" | "closed" | "destroy" | "destroyed" | "end" | "headersSent" | "isPaused" | "on" | "once" | "pause" | "readableEnded")
  | ("respond" | "resume" | "sendTrailers" | "setTimeout" | "write")
>

/** What calls depend on: one object for all of them, since there may be very many. */
export interface CallDeps {
  /** What a call is for; undefined where it was refused. */
  open(protocol: Protocol, peer: StreamPeer): Stream | undefined
  /** A message with gRPC's five bytes before it. */
  framed(message: Buffer): Buffer
  readonly onFault: OnFault
  /** Milliseconds in which a client has to read the status of its call. */
  readonly patience: number
  /** When what came together has been read, and what was said has been handed to HTTP/2. */
  soon(work: () => void): void
  /** In a later turn of the event loop, one piece of work of all calls in each. */
  inTurn(work: () => void): void
  /** In so many milliseconds, unless disposed of before. */
  later(milliseconds: number, work: () => void): Disposable
}

/** Undefined lets the client in; a text is why not. */
export type Authenticate = () => Promise<string | undefined>
