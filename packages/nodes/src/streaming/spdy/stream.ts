import { Duplex } from "node:stream"
import { type ConnectionInput, ownBytes, WaitingPieces } from "../session/waiting-input.ts"
import type { StreamHeaders } from "./header-block.ts"
import type { SendWindow } from "./send-window.ts"

/** Bytes of one stream that wait for their reader; then the connection is not read on, and its other streams wait too. */
const readBuffer = 256 * 1024

/** Bytes of one data frame, as Kubernetes' own copies have them. */
const pieceSize = 32 * 1024

/** What a stream needs of its connection. */
export interface StreamLink {
  /** Counts what waits for readers of all streams. */
  readonly input: ConnectionInput
  /** Calls back when the connection can take more. */
  sendData(stream: number, data: Buffer, fin: boolean, sent: (error?: Error | null) => void): void
  reset(stream: number): void
  /** The reader has taken so many bytes. */
  consumed(stream: number, bytes: number): void
  closed(stream: number): void
}

/** One stream of a connection that speaks SPDY. Its two directions end by themselves; destroying it resets it. */
export class SpdyStream extends Duplex {
  readonly id: number
  readonly headers: StreamHeaders
  readonly window: SendWindow
  readonly #link: StreamLink
  readonly #waiting: WaitingPieces
  #isOver = false
  #untaken = 0
  #wake: (() => void) | undefined

  constructor(id: number, headers: StreamHeaders, window: SendWindow, link: StreamLink) {
    super({ allowHalfOpen: true, readableHighWaterMark: readBuffer, writableHighWaterMark: pieceSize })
    this.id = id
    this.headers = headers
    this.window = window
    this.#link = link
    this.#waiting = new WaitingPieces(link.input)
    // What breaks it is known to those who read or write it; without a listener node would end the process.
    this.on("error", () => undefined)
    this.once("close", () => this.#over())
  }

  /** Data from the other end; ends when there is room for more. */
  async receive(data: Buffer, fin: boolean): Promise<void> {
    if (this.destroyed || this.readableEnded) return
    this.#untaken += data.length
    const hasRoom = data.length === 0 || this.push(ownBytes(data))
    if (data.length > 0) this.#waiting.add(data.length, this.readableLength)
    if (fin) this.push(null)
    if (hasRoom || fin) return
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
  }

  /** The other end has reset it, or the connection is over: nothing is sent any more. */
  lose(error?: Error): void {
    this.#isOver = true
    this.window.close()
    this.destroy(error)
  }

  override read(size?: number): unknown {
    const chunk: unknown = super.read(size)
    this.#taken()
    return chunk
  }

  /** Also where data never waited, since it was read for. */
  #taken(): void {
    const waiting = this.readableLength
    this.#waiting.keep(waiting)
    const taken = this.#untaken - waiting
    if (taken <= 0) return
    this.#untaken = waiting
    if (!this.#isOver) this.#link.consumed(this.id, taken)
  }

  override _read(): void {
    this.#taken()
    this.#wake?.()
    this.#wake = undefined
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    const piece = chunk.subarray(0, pieceSize)
    this.window.spend(piece.length, () => {
      if (this.#isOver) return done()
      const rest = chunk.subarray(piece.length)
      this.#link.sendData(this.id, piece, false, rest.length === 0 ? done : (error) => (error ? done(error) : this._write(rest, "", done)))
    })
  }

  override _final(done: (error?: Error | null) => void): void {
    if (this.#isOver) done()
    else this.#link.sendData(this.id, Buffer.alloc(0), true, done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#waiting.keep(0)
    const isWhole = this.writableFinished && this.readableEnded
    if (!this.#isOver && !isWhole) this.#link.reset(this.id)
    done(error)
  }

  #over(): void {
    this.#isOver = true
    this.window.close()
    this.#wake?.()
    this.#link.closed(this.id)
  }
}
