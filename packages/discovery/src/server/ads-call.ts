import type { OutgoingHttpHeaders } from "node:http2"
import { messageOf } from "@pilothouse/seams"
import type { Protocol } from "../session/responses.ts"
import type { Authenticate, CallDeps, CallStream } from "./call-deps.ts"
import { faultOf } from "./edge-fault.ts"
import { GrpcMessages, UnreadableMessage } from "./grpc-messages.ts"
import { type GrpcStatus, statusHeaders } from "./grpc-status.ts"
import type { Stream, StreamPeer } from "./streams.ts"

/** As upstream: enough for any list of names. */
const largest = 4 * 1024 * 1024

/** Bytes of a request that is handled in its own turn: requests of several streams may arrive in the same moment. */
const longRequest = 64 * 1024

const headers: OutgoingHttpHeaders = {
  ":status": 200,
  "content-type": "application/grpc+proto",
  "grpc-accept-encoding": "identity,deflate,gzip",
}

/**
 * One ADS call on a stream of HTTP/2. gRPC is little more than that: messages with their length before them, and a status as trailers.
 *
 * Invariant: nothing is read while the client does not take what it is sent; the status is sent once, and nothing after it; the call has
 * its place among the streams for as long as HTTP/2 holds anything of it.
 */
export class AdsCall implements StreamPeer {
  readonly #http2: CallStream
  readonly #deps: CallDeps
  readonly #messages: GrpcMessages
  #stream: Stream | undefined
  /** The client went, perhaps during authentication; or the status was sent. */
  #isOver = false
  /** A long request was read, and has not been taken yet. */
  #waitsForTurn = false

  constructor(http2: CallStream, world: CallDeps, encoding?: string) {
    this.#http2 = http2
    this.#deps = world
    this.#messages = new GrpcMessages({ largest, encoding })
  }

  start(protocol: Protocol, authenticate?: Authenticate, timeout?: string): void {
    // Closed right after, which is what counts.
    this.#http2.on("error", () => undefined)
    this.#http2.on("close", () => {
      this.#isOver = true
      this.#stream?.gone()
    })
    this.#stream = this.#deps.open(protocol, this)
    if (this.#stream === undefined) return
    if (timeout !== undefined) this.#limit(this.#stream, timeout)
    if (authenticate === undefined) this.#listen(this.#stream)
    else void this.#admit(this.#stream, authenticate)
  }

  write(message: Buffer, done: () => void): void {
    if (this.#isOver || this.#http2.closed) return
    if (!this.#http2.headersSent) this.#http2.respond(headers, { waitForTrailers: true })
    this.#http2.write(this.#deps.framed(message), (error) => {
      if (error) return
      done()
      if (this.#stream !== undefined) this.#read(this.#stream)
    })
  }

  /** `why`: where the log says more than the client may know. */
  fail(status: GrpcStatus, message: string, why = message): void {
    if (this.#isOver) return
    this.#isOver = true
    const fault = faultOf[status]
    if (fault !== undefined) this.#deps.onFault(fault, why)
    const http2 = this.#http2
    if (http2.destroyed || http2.closed) return
    // A client that takes nothing would hold its place for ever.
    http2.setTimeout(this.#deps.patience, () => http2.destroy())
    const trailers = statusHeaders(status, message)
    if (http2.headersSent) {
      http2.once("wantTrailers", () => {
        http2.sendTrailers(trailers)
        // Node hands them on a moment later, and they would be lost.
        this.#deps.soon(() => this.#endReading())
      })
      http2.end()
    } else {
      http2.respond({ ...headers, ...trailers }, { endStream: true })
      this.#endReading()
    }
    // What the client goes on saying goes nowhere.
    http2.resume()
  }

  /** A client that has the status may believe that it can go on speaking (RFC 9113, 8.1). */
  #endReading(): void {
    if (!this.#http2.readableEnded) this.#http2.close()
  }

  /** Calls of ADS are meant to last; one with a deadline ends then. */
  #limit(stream: Stream, timeout: string): void {
    const milliseconds = timeoutOf(timeout)
    if (milliseconds === undefined)
      return this.#finish(stream, { status: "INTERNAL", text: `expected a grpc-timeout such as 10S, found ${timeout}` })
    const over: CallEnd = { status: "DEADLINE_EXCEEDED", text: `the ${timeout} that the client gave the call are over` }
    const timer = this.#deps.later(milliseconds, () => this.#finish(stream, over))
    this.#http2.once("close", () => timer[Symbol.dispose]())
  }

  async #admit(stream: Stream, authenticate: Authenticate): Promise<void> {
    try {
      // The client may have taken the call back in the same moment, many times over: such a call is not authenticated.
      await new Promise<void>((resolve) => this.#deps.soon(resolve))
      const problem = this.#isOver ? undefined : await authenticate()
      if (this.#isOver) return
      if (problem === undefined) return this.#listen(stream)
      this.fail("UNAUTHENTICATED", problem)
    } catch (error) {
      this.fail("UNAVAILABLE", "who you are could not be checked; try again", messageOf(error))
    }
  }

  #listen(stream: Stream): void {
    this.#http2.on("data", (piece: Buffer) => {
      if (this.#isOver) return
      this.#messages.add(piece)
      this.#read(stream)
    })
    this.#http2.on("end", () => this.#read(stream))
  }

  #read(stream: Stream): void {
    while (!this.#isOver) {
      if (stream.blocked || this.#waitsForTurn) return void this.#http2.pause()
      const next = this.#messages.take()
      if (next === undefined) break
      if (next instanceof UnreadableMessage) return this.#finish(stream, next)
      if (next.length > longRequest) return this.#inTurn(stream, () => stream.message(next))
      stream.message(next)
      if (stream.isBusy) return this.#inTurn(stream, () => stream.proceed())
    }
    if (this.#http2.readableEnded) this.#finish(stream, this.#messages.isEmpty ? allSaid : cutShort)
    else if (this.#http2.isPaused()) this.#http2.resume()
  }

  /** Nothing more is read until the work is done, and all that is left of it. */
  #inTurn(stream: Stream, work: () => void): void {
    this.#waitsForTurn = true
    this.#http2.pause()
    this.#deps.inTurn(() => {
      this.#waitsForTurn = false
      if (this.#isOver) return
      work()
      if (stream.isBusy) this.#inTurn(stream, () => stream.proceed())
      else this.#read(stream)
    })
  }

  #finish(stream: Stream, { status, text }: CallEnd): void {
    this.fail(status, text)
    stream.end()
  }
}

/** Milliseconds of each unit. */
const units: ReadonlyMap<string, number> = new Map([
  ["H", 3_600_000],
  ["M", 60_000],
  ["S", 1_000],
  ["m", 1],
  ["u", 1e-3],
  ["n", 1e-6],
])

/** Parses the header "grpc-timeout", in milliseconds: "10S". Undefined where it is none: gRPC has eight digits at most, and a unit. */
export function timeoutOf(text: string): number | undefined {
  const [, digits = "", unit = ""] = /^(\d{1,8})(\w)$/.exec(text) ?? []
  const length = units.get(unit)
  return length === undefined ? undefined : Number(digits) * length
}

type CallEnd = Pick<UnreadableMessage, "status" | "text">

const allSaid: CallEnd = { status: "OK", text: "" }

const cutShort: CallEnd = { status: "INTERNAL", text: "expected the rest of a message, found the end of the stream" }
