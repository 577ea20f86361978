import type { Duplex } from "node:stream"
import type { StreamSession } from "../session/sessions.ts"
import { encodeFrame, type Frame, FrameReader } from "./frames.ts"
import { decodeHeaders, HeaderDeflater, HeaderInflater, type StreamHeaders } from "./header-block.ts"
import { firstWindow, SendWindow } from "./send-window.ts"
import { SpdyError } from "./spdy-error.ts"
import { SpdyStream, type StreamLink } from "./stream.ts"

/** Open streams of one connection. kubectl port-forward has two for each connection that it forwards. */
const maxStreams = 1000

/** Status codes of RST_STREAM and GOAWAY. */
const [protocolError, refusedStream, cancel] = [1, 3, 5]
/** Of SETTINGS: how much of a stream the other end takes at first. */
const initialWindowSize = 7
/** Of our ping: an even one. */
const pingId = 2

export interface SpdyConnectionOptions {
  readonly connection: Duplex
  /** Throws for headers that a stream must not have: it is reset, and the others go on. */
  readonly check: (headers: StreamHeaders) => void
  /** A stream that the client has opened. */
  readonly open: (stream: SpdyStream) => void
  readonly session: StreamSession
}

/**
 * The server's end of a connection that speaks SPDY/3.1, as Kubernetes' clients do: the client opens the streams.
 * Invariant: at most 1,000 streams are open, and after `run` has ended none is.
 */
export class SpdyConnection {
  readonly #options: SpdyConnectionOptions
  readonly #streams = new Map<number, SpdyStream>()
  readonly #inflater = new HeaderInflater()
  readonly #deflater = new HeaderDeflater()
  #lastStream = 0
  #windowSize = firstWindow
  /** The other end has said how much it takes. */
  #hasWindows = false

  constructor(options: SpdyConnectionOptions) {
    this.#options = options
  }

  /** Serves the connection until it is over; never rejects. */
  async run(): Promise<void> {
    const { connection, session } = this.#options
    const reader = new FrameReader()
    connection.on("error", () => connection.destroy())
    // Also while a stream waits for its reader, and nothing is read.
    connection.once("close", () => this.#loseStreams())
    session.onQuiet(() => {
      if (connection.writableLength === 0) this.#write(encodeFrame({ type: "ping", id: pingId }))
    })
    try {
      for await (const chunk of connection) {
        for (const frame of reader.read(chunk as Buffer)) {
          if (!isAnswerToPing(frame)) session.active()
          await this.#handle(frame)
        }
      }
    } catch (error) {
      if (error instanceof SpdyError) await this.#send({ type: "goaway", lastStream: this.#lastStream, status: protocolError })
    } finally {
      this.#loseStreams()
      this.#inflater[Symbol.dispose]()
      this.#deflater[Symbol.dispose]()
      connection.destroy()
    }
  }

  /** Ends the connection when all that was written is sent. */
  close(): void {
    this.#options.connection.end(() => this.#options.connection.destroy())
  }

  #loseStreams(): void {
    for (const stream of this.#streams.values()) stream.lose()
  }

  async #handle(frame: Frame): Promise<void> {
    switch (frame.type) {
      case "data":
        return this.#data(frame)
      case "syn-stream":
        return this.#open(frame)
      case "headers":
      case "syn-reply":
        // Nothing in them is of use, but the blocks after them are compressed with what they have.
        await this.#inflater.inflate(frame.block)
        return
      case "rst-stream":
        return this.#streams.get(frame.stream)?.lose()
      case "ping":
        return isAnswerToPing(frame) ? undefined : this.#send(frame)
      case "settings": {
        // One frame has room for thousands of them, and each goes through all streams.
        const size = frame.entries.findLast(({ id }) => id === initialWindowSize)
        if (size !== undefined) this.#resize(size.value)
        return
      }
      case "window-update":
        this.#hasWindows = true
        return this.#streams.get(frame.stream)?.window.add(frame.delta)
    }
  }

  async #data({ stream: id, data, fin }: Extract<Frame, { readonly type: "data" }>): Promise<void> {
    const stream = this.#streams.get(id)
    // Of a stream that was reset while this was on its way.
    if (stream === undefined) return
    await stream.receive(data, fin)
    if (!this.#options.session.input.hasRoom) await this.#room()
  }

  /** Ends when readers have taken enough of what all streams hold, or with the connection. */
  async #room(): Promise<void> {
    const { connection, session } = this.#options
    if (connection.destroyed) return
    await new Promise<void>((resolve) => {
      connection.once("close", resolve)
      session.input.whenRoom(() => {
        connection.off("close", resolve)
        resolve()
      })
    })
  }

  async #open({ stream: id, fin, block }: Extract<Frame, { readonly type: "syn-stream" }>): Promise<void> {
    const headers = decodeHeaders(await this.#inflater.inflate(block))
    if (id % 2 === 0 || id <= this.#lastStream)
      throw new SpdyError(`expected an odd stream id greater than ${this.#lastStream}, found ${id}`)
    this.#lastStream = id
    if (this.#streams.size >= maxStreams) return this.#send({ type: "rst-stream", stream: id, status: refusedStream })
    try {
      this.#options.check(headers)
    } catch {
      return this.#send({ type: "rst-stream", stream: id, status: protocolError })
    }
    const stream = new SpdyStream(id, headers, new SendWindow(this.#windowSize, () => this.#hasWindows), {
      ...this.#link,
      input: this.#options.session.input,
    })
    this.#streams.set(id, stream)
    await this.#send({ type: "syn-reply", stream: id, fin: false, block: await this.#deflater.deflate(new Map()) })
    this.#options.open(stream)
    if (fin) await stream.receive(Buffer.alloc(0), true)
  }

  #resize(size: number): void {
    this.#hasWindows = true
    const bounded = Math.min(size, 0x7fff_ffff)
    for (const { window } of this.#streams.values()) window.add(bounded - this.#windowSize)
    this.#windowSize = bounded
  }

  readonly #link: Omit<StreamLink, "input"> = {
    sendData: (stream, data, fin, sent) => {
      this.#options.session.active()
      this.#write(encodeFrame({ type: "data", stream, fin, data }), sent)
    },
    reset: (stream) => this.#write(encodeFrame({ type: "rst-stream", stream, status: cancel })),
    consumed: (stream, bytes) => {
      if (!this.#hasWindows) return
      // Of the stream, and of the connection as a whole.
      for (const one of [stream, 0]) this.#write(encodeFrame({ type: "window-update", stream: one, delta: bytes }))
    },
    closed: (stream) => void this.#streams.delete(stream),
  }

  /** Ends when the connection can take more: a client that does not read what its frames are answered with is not read either. */
  async #send(frame: Parameters<typeof encodeFrame>[0]): Promise<void> {
    const { connection } = this.#options
    if (connection.destroyed || connection.writableEnded) return
    await new Promise<void>((resolve) => {
      connection.once("close", resolve)
      this.#write(encodeFrame(frame), () => {
        connection.off("close", resolve)
        resolve()
      })
    })
  }

  #write(bytes: Buffer, sent: (error?: Error | null) => void = () => undefined): void {
    const { connection } = this.#options
    if (connection.destroyed || connection.writableEnded) sent()
    else connection.write(bytes, sent)
  }
}

/** Odd pings are the client's. */
function isAnswerToPing(frame: Frame): boolean {
  return frame.type === "ping" && frame.id % 2 === 0
}
