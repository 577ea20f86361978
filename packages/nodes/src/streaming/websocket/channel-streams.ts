import { Readable, Writable } from "node:stream"
import { InputBlock } from "../session/input-block.ts"
import { ownBytes, WaitingPieces } from "../session/waiting-input.ts"
import type { ChannelSocket } from "./channel-socket.ts"

/** Bytes of a channel that wait for their reader; then the socket is not read on. */
const readBuffer = 256 * 1024

/** What a client writes into one channel. Always true: after its end nothing more is taken. */
export class ChannelReader extends Readable {
  readonly #socket: ChannelSocket
  readonly #waiting: WaitingPieces
  /** Behind what is in the stream: a paused socket still hands out thousands of messages that were read with the one before. */
  readonly #block = new InputBlock()
  #isOver = false

  constructor(socket: ChannelSocket) {
    super({ highWaterMark: readBuffer })
    this.#socket = socket
    this.#waiting = new WaitingPieces(socket.input)
    this.on("error", () => undefined)
    socket.onClose(() => this.end())
  }

  receive(payload: Buffer): void {
    if (this.#isOver || payload.length === 0) return
    if (this.readableLength > 0 && this.#block.add(payload)) this.#waiting.join(payload.length, this.#length)
    else {
      this.#pushBlock()
      this.push(ownBytes(payload))
      this.#waiting.add(payload.length, this.#length)
    }
    if (this.#length >= readBuffer) this.#socket.pause(this)
  }

  end(): void {
    if (!this.#isOver) {
      this.#pushBlock()
      this.push(null)
    }
    this.#isOver = true
  }

  override read(size?: number): unknown {
    this.#pushBlock()
    const chunk: unknown = super.read(size)
    this.#waiting.keep(this.#length)
    return chunk
  }

  /** Bytes that wait. */
  get #length(): number {
    return this.readableLength + this.#block.length
  }

  #pushBlock(): void {
    const block = this.#block.take()
    if (block !== undefined) this.push(block)
  }

  override _read(): void {
    this.#socket.resume(this)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#isOver = true
    this.#waiting.keep(0)
    this.#socket.resume(this)
    done(error)
  }
}

/** Returns what goes to the client on one channel. */
export function channelWriter(socket: ChannelSocket, channel: number): Writable {
  const writer = new Writable({ write: (chunk: Buffer, _encoding, done) => socket.send(channel, chunk, done) })
  writer.on("error", () => undefined)
  return writer
}
