import * as grpc from "@grpc/grpc-js"
import { frameLength } from "../push/responses.ts"
import type { Stream, StreamPeer, StreamStatus } from "./streams.ts"

type Inner = grpc.ServerInterceptingCallInterface

export interface AdsCallOptions {
  /** What the call is for; undefined where it was refused. */
  open(peer: StreamPeer): Stream | undefined
  /** Undefined lets the client in; a text is why not. */
  readonly authenticate?: (metadata: grpc.Metadata, inner: Inner) => Promise<string | undefined>
}

/**
 * One ADS call, taken where the library would hand it to a Duplex stream: bytes go in and out without passing through two more streams and their
 * queues, for every response and every ACK of every client. One message is read at a time, and none while the client does not take what it is sent.
 */
export class AdsCall {
  readonly #inner: Inner
  readonly #options: AdsCallOptions
  #stream: Stream | undefined
  #reads = false
  /** The client went, perhaps while it was still asked who it is. */
  #isOver = false

  constructor(inner: Inner, options: AdsCallOptions) {
    this.#inner = inner
    this.#options = options
    shareFrames(inner)
  }

  /** Stands in for the library's own handler, which is told nothing. */
  start(): void {
    this.#inner.start({
      onReceiveMetadata: (metadata) => void this.#admit(metadata),
      onReceiveMessage: (bytes: Buffer) => {
        this.#reads = false
        this.#stream?.message(bytes)
        this.#readMore()
      },
      onReceiveHalfClose: () => {
        this.#end()
        this.#inner.sendStatus({ code: grpc.status.OK, details: "OK", metadata: null })
      },
      onCancel: () => this.#end(),
    })
  }

  async #admit(metadata: grpc.Metadata): Promise<void> {
    const { authenticate } = this.#options
    if (authenticate === undefined) return this.#accept()
    try {
      const problem = await authenticate(metadata, this.#inner)
      if (this.#isOver) return
      if (problem === undefined) this.#accept()
      else this.#fail("UNAUTHENTICATED", problem)
    } catch {
      if (!this.#isOver) this.#fail("UNAVAILABLE", "who you are could not be checked; try again")
    }
  }

  #accept(): void {
    const peer: StreamPeer = {
      write: (bytes, done) =>
        this.#inner.sendMessage(bytes, () => {
          done()
          this.#readMore()
        }),
      fail: (status, message) => this.#fail(status, message),
    }
    this.#stream = this.#options.open(peer)
    this.#readMore()
  }

  #end(): void {
    this.#isOver = true
    this.#stream?.end()
  }

  #readMore(): void {
    if (this.#reads || this.#stream === undefined || this.#stream.blocked) return
    this.#reads = true
    this.#inner.startRead()
  }

  #fail(status: StreamStatus, message: string): void {
    this.#inner.sendStatus({ code: grpc.status[status], details: message, metadata: null })
  }
}

/**
 * Our messages have room for gRPC's frame before them, filled in already: one buffer goes to every stream, where the library would make a copy for each.
 * A library without this method makes its copies, and everything works as before.
 */
function shareFrames(call: Inner): void {
  const inner = call as unknown as { serializeMessage?: (message: Buffer) => Buffer }
  if (typeof inner.serializeMessage === "function")
    inner.serializeMessage = ({ buffer, byteOffset, length }) => Buffer.from(buffer, byteOffset - frameLength, length + frameLength)
}
