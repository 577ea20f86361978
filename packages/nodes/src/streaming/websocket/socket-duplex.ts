import { Duplex } from "node:stream"
import type { WebSocket } from "ws"
import { InputBlock } from "../session/input-block.ts"
import { ownBytes } from "../session/waiting-input.ts"

/** The binary messages of a WebSocket as one stream of bytes, wherever they are cut. */
export class SocketDuplex extends Duplex {
  readonly #socket: WebSocket
  /** Behind what is in the stream: a paused socket still hands out thousands of messages that were read with the one before. */
  readonly #block = new InputBlock()
  #isOver = false

  constructor(socket: WebSocket) {
    super()
    this.#socket = socket
    this.on("error", () => undefined)
    socket.on("message", (data: Buffer) => this.#receive(data))
    socket.once("close", () => {
      if (!this.#isOver) {
        this.#pushBlock()
        this.push(null)
      }
      this.#isOver = true
    })
  }

  #receive(data: Buffer): void {
    if (this.#isOver || data.length === 0) return
    if (this.readableLength === 0 || !this.#block.add(data)) {
      this.#pushBlock()
      this.push(ownBytes(data))
    }
    if (this.readableLength + this.#block.length >= this.readableHighWaterMark) this.#socket.pause()
  }

  #pushBlock(): void {
    const block = this.#block.take()
    if (block !== undefined) this.push(block)
  }

  override read(size?: number): unknown {
    this.#pushBlock()
    return super.read(size)
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#socket.send(chunk, done)
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#socket.resume()
    this.#socket.close(1000)
    done()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#isOver = true
    // A goodbye that is under way is not cut off: node would take it for a broken connection.
    if (this.writableFinished) this.#socket.resume()
    else this.#socket.terminate()
    done(error)
  }
}
