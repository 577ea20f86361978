import { Duplex } from "node:stream"
import type { WebSocket } from "ws"

/** The binary messages of a WebSocket as one stream of bytes, wherever they are cut. */
export class SocketDuplex extends Duplex {
  readonly #socket: WebSocket
  #isOver = false

  constructor(socket: WebSocket) {
    super()
    this.#socket = socket
    this.on("error", () => undefined)
    socket.on("message", (data: Buffer) => {
      if (!this.#isOver && !this.push(data)) socket.pause()
    })
    socket.once("close", () => {
      if (!this.#isOver) this.push(null)
      this.#isOver = true
    })
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
