import type { WebSocket } from "ws"
import type { StreamSession } from "../session/sessions.ts"
import type { ConnectionInput } from "../session/waiting-input.ts"

/** A message of one channel. */
export interface ChannelMessage {
  readonly channel: number
  readonly payload: Buffer
}

/** Bytes of one message that is sent, beside its channel. */
const pieceSize = 32 * 1024

/** With which all of it was said. */
const normalClosure = 1000

/**
 * Writes and reads the messages of channels: binary ones, or text with base64 where the protocol says so. Invariant: while a channel or
 * all of them together are full, nothing is read, whatever other channels have room for.
 */
export class ChannelSocket {
  readonly #socket: WebSocket
  readonly #isBase64: boolean
  readonly #session: StreamSession
  readonly #full = new Set<object>()

  constructor(socket: WebSocket, isBase64: boolean, session: StreamSession) {
    this.#socket = socket
    // Each of 127 ports waits for its end.
    socket.setMaxListeners(0)
    this.#isBase64 = isBase64
    this.#session = session
    session.onQuiet(() => {
      if (socket.readyState === socket.OPEN && socket.bufferedAmount === 0) socket.ping()
    })
  }

  /** Calls back when the connection can take more; output of a connection that is over is lost. */
  send(channel: number, payload: Buffer, sent: () => void = () => undefined): void {
    const socket = this.#socket
    if (socket.readyState !== socket.OPEN) return sent()
    this.#session.active()
    const piece = payload.subarray(0, pieceSize)
    const rest = payload.subarray(piece.length)
    const message = this.#isBase64 ? `${channel}${piece.toString("base64")}` : Buffer.concat([Buffer.of(channel), piece])
    socket.send(message, () => (rest.length === 0 ? sent() : this.send(channel, rest, sent)))
  }

  /** Of its readers. */
  get input(): ConnectionInput {
    return this.#session.input
  }

  receive(listener: (message: ChannelMessage) => void): void {
    this.#socket.on("message", (data: Buffer) => {
      this.#session.active()
      this.#deliver(data, listener)
      if (this.input.hasRoom || this.#full.has(this)) return
      this.pause(this)
      this.input.whenRoom(() => this.resume(this))
    })
  }

  #deliver(data: Buffer, listener: (message: ChannelMessage) => void): void {
    if (data.length === 0) return
    if (!this.#isBase64) return listener({ channel: data[0]!, payload: data.subarray(1) })
    const channel = data[0]! - 0x30
    if (channel >= 0 && channel <= 9) listener({ channel, payload: Buffer.from(data.toString("latin1", 1), "base64") })
  }

  /** Reads no more until the channel is resumed: what the client sends waits on its side. */
  pause(channel: object): void {
    this.#full.add(channel)
    this.#socket.pause()
  }

  resume(channel: object): void {
    if (this.#full.delete(channel) && this.#full.size === 0) this.#socket.resume()
  }

  /** Says goodbye behind what was sent. */
  close(): void {
    // A socket that is paused would not read the answer.
    this.#full.clear()
    this.#socket.resume()
    this.#socket.close(normalClosure)
  }

  terminate(): void {
    this.#socket.terminate()
  }

  onClose(listener: () => void): void {
    if (this.#socket.readyState === this.#socket.CLOSED) listener()
    else this.#socket.once("close", listener)
  }
}
