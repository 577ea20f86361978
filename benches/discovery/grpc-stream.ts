import { connect, type Socket } from "node:net"
import { FrameReader, flag, frame, frameType } from "./http2-frames.ts"

/** What a client lets a server send before it says that it has read: as Envoy does by default. */
const window = 16 * 1024 * 1024
/** HTTP/2's own, before either side says more. */
const firstWindow = 65_535
const streamId = 1
/** Every socket of the process reads into it: what it holds is taken before the next one reads. */
const shared = Buffer.alloc(256 * 1024)

export interface GrpcStreamOptions {
  readonly port: number
  /** "/package.Service/Method" */
  readonly path: string
  onMessage(bytes: Buffer): void
  /** The server ended it, or the connection. */
  onEnd(): void
}

/** One call in both directions on a connection of its own. The bytes of a message are good until its handler returns. */
export class GrpcStream {
  readonly #options: GrpcStreamOptions
  readonly #socket: Socket
  #message = Buffer.alloc(1024)
  #have = 0
  #unread = 0
  #ended = false

  constructor(options: GrpcStreamOptions) {
    this.#options = options
    const reader = new FrameReader({ data: (bytes) => this.#data(bytes), frame: (...parts) => this.#frame(...parts) })
    const onread = { buffer: shared, callback: (length: number) => (reader.take(shared.subarray(0, length)), true) }
    this.#socket = connect({ host: "127.0.0.1", port: options.port, noDelay: true, onread })
    this.#socket.on("error", () => this.#end()).on("close", () => this.#end())
    this.#socket.write(
      Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), settings(), grow(0, window - firstWindow), this.#headers()]),
    )
  }

  /** Requests are short, and are read before the next one comes: the server's windows never close. */
  send(message: Buffer): void {
    const body = Buffer.alloc(5 + message.length)
    body.writeUInt32BE(message.length, 1)
    body.set(message, 5)
    this.#socket.write(frame(frameType.data, 0, streamId, body))
  }

  close(): void {
    this.#ended = true
    this.#socket.destroy()
  }

  #end(): void {
    if (this.#ended) return
    this.close()
    this.#options.onEnd()
  }

  #frame(type: number, flags: number, payload: Buffer): void {
    if (type === frameType.settings && (flags & flag.ack) === 0) this.#socket.write(frame(frameType.settings, flag.ack, 0, Buffer.alloc(0)))
    else if (type === frameType.ping && (flags & flag.ack) === 0) this.#socket.write(frame(frameType.ping, flag.ack, 0, payload))
    const over = type === frameType.headers && (flags & flag.endStream) !== 0
    if (over || type === frameType.reset || type === frameType.goAway) this.#end()
  }

  #data(bytes: Buffer): void {
    this.#unread += bytes.length
    if (this.#unread > window / 2) {
      this.#socket.write(Buffer.concat([grow(0, this.#unread), grow(streamId, this.#unread)]))
      this.#unread = 0
    }
    this.#room(this.#have + bytes.length)
    bytes.copy(this.#message, this.#have)
    this.#have += bytes.length
    this.#tell()
  }

  /** Each message has five bytes before it: whether it is compressed, and its length. */
  #tell(): void {
    while (this.#have >= 5) {
      const end = 5 + this.#message.readUInt32BE(1)
      this.#room(end)
      if (this.#have < end) return
      this.#options.onMessage(this.#message.subarray(5, end))
      this.#message.copy(this.#message, 0, end, this.#have)
      this.#have -= end
    }
  }

  #room(length: number): void {
    if (length <= this.#message.length) return
    const more = Buffer.alloc(length)
    this.#message.copy(more, 0, 0, this.#have)
    this.#message = more
  }

  #headers(): Buffer {
    const indexed = Buffer.of(0x83, 0x86) // :method POST, :scheme http
    const named = (name: readonly number[], value: string) => Buffer.concat([Buffer.of(...name, value.length), Buffer.from(value)])
    const te = Buffer.concat([Buffer.of(0, 2), Buffer.from("te"), Buffer.of(8), Buffer.from("trailers")])
    const block = [indexed, named([0x04], this.#options.path), named([0x01], "127.0.0.1"), named([0x0f, 0x10], "application/grpc"), te]
    return frame(frameType.headers, flag.endHeaders, streamId, Buffer.concat(block))
  }
}

function settings(): Buffer {
  const payload = Buffer.alloc(6)
  payload.writeUInt16BE(4, 0) // INITIAL_WINDOW_SIZE
  payload.writeUInt32BE(window, 2)
  return frame(frameType.settings, 0, 0, payload)
}

function grow(stream: number, by: number): Buffer {
  const payload = Buffer.alloc(4)
  payload.writeUInt32BE(by)
  return frame(frameType.windowUpdate, 0, stream, payload)
}
