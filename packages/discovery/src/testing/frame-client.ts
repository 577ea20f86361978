import type { Socket } from "node:net"

const names = ["DATA", "HEADERS", "PRIORITY", "RST", "SETTINGS", "PUSH", "PING", "GOAWAY", "WINDOW", "CONTINUATION"]
const [data, headersType, rst, settingsType, ping, goaway, window] = [0, 1, 3, 4, 6, 7, 8]
const [ack, endStream, endHeaders] = [1, 1, 4]

/** How a client of raw frames connects. */
export interface FrameClientOptions {
  /** Bytes of a stream that it takes before it says more; by default 65,535. */
  readonly window?: number
  /** Answers pings; by default true. */
  readonly answers?: boolean
}

/** A client that sends given frames of HTTP/2, also such as no library would send, and keeps what it gets in words: "HEADERS#1 end", "RST#1 0". */
export class FrameClient implements Disposable {
  readonly seen: string[] = []
  readonly #socket: Socket
  readonly #answers: boolean
  #rest = Buffer.alloc(0)
  #wake: () => void = () => undefined
  #pings = 0

  /** Over a socket that is connected. */
  constructor(socket: Socket, { window: size = 65_535, answers = true }: FrameClientOptions = {}) {
    this.#socket = socket
    this.#answers = answers
    socket.on("error", () => undefined)
    socket.on("close", () => this.#see("closed"))
    socket.on("data", (bytes) => this.#take(bytes))
    const initialWindowSize = Buffer.alloc(6)
    initialWindowSize.writeUInt16BE(4)
    initialWindowSize.writeUInt32BE(size, 2)
    this.say(Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(settingsType, 0, 0, initialWindowSize))
  }

  /** In one write. */
  say(...frames: readonly Buffer[]): void {
    this.#socket.write(Buffer.concat(frames))
  }

  /** Ends when it was seen. */
  async saw(what: string): Promise<void> {
    while (!this.seen.includes(what)) await new Promise<void>((resolve) => (this.#wake = resolve))
  }

  /** Ends when the server has read what was said, and said what it had to say at once. */
  async caughtUp(): Promise<void> {
    for (let turn = 0; turn < 3; turn++) {
      const payload = Buffer.alloc(8)
      payload.writeUInt32BE(++this.#pings)
      this.say(frame(ping, 0, 0, payload))
      await this.saw(`PONG ${this.#pings}`)
    }
  }

  [Symbol.dispose](): void {
    this.#socket.destroy()
  }

  #take(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes])
    while (this.#rest.length >= 9 && this.#rest.length >= 9 + this.#rest.readUIntBE(0, 3)) {
      const end = 9 + this.#rest.readUIntBE(0, 3)
      this.#capture(this.#rest.subarray(0, end))
      this.#rest = this.#rest.subarray(end)
    }
  }

  #capture(bytes: Buffer): void {
    const [type, flags, id, payload] = [bytes[3]!, bytes[4]!, bytes.readUInt32BE(5), bytes.subarray(9)]
    if (type === settingsType) return void (flags & ack || this.say(frame(settingsType, ack, 0)))
    if (type === ping && flags & ack) return this.#see(`PONG ${payload.readUInt32BE(0)}`)
    if (type === ping) return void (this.#answers && this.say(frame(ping, ack, 0, payload)))
    const code = type === rst ? ` ${payload.readUInt32BE(0)}` : type === goaway ? ` ${payload.readUInt32BE(4)}` : ""
    const end = (type === data || type === headersType) && flags & endStream ? " end" : ""
    this.#see(`${names[type]}#${id}${code}${end}`)
  }

  #see(what: string): void {
    this.seen.push(what)
    this.#wake()
  }
}

function frame(type: number, flags: number, id: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = flags
  head.writeUInt32BE(id, 5)
  return Buffer.concat([head, payload])
}

const sotw = "/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources"

/** Frames to say. */
export const frames = {
  /** The beginning of a call of ADS, or of one of another path. */
  call: (id: number, path = sotw, more: Readonly<Record<string, string>> = {}) => {
    const all = { ":method": "POST", ":scheme": "http", ":authority": "x", ":path": path, "content-type": "application/grpc", ...more }
    return frame(
      headersType,
      endHeaders,
      id,
      Buffer.concat(Object.entries(all).flatMap(([name, value]) => [Buffer.of(0), text(name), text(value)])),
    )
  },
  /** A message as gRPC frames it; `last`: and the client's end of the stream. */
  message: (id: number, bytes: Uint8Array, last = false) => {
    const head = Buffer.alloc(5)
    head.writeUInt32BE(bytes.length, 1)
    return frame(data, last ? endStream : 0, id, Buffer.concat([head, bytes]))
  },
  cancel: (id: number) => frame(rst, 0, id, Buffer.of(0, 0, 0, 8)),
  goaway: () => frame(goaway, 0, 0, Buffer.alloc(8)),
  takeMore: (id: number, bytes: number) => {
    const payload = Buffer.alloc(4)
    payload.writeUInt32BE(bytes)
    return frame(window, 0, id, payload)
  },
}

/** A text of HPACK as it is, with its length in 7 bits and as many more bytes as it needs. */
function text(value: string): Buffer {
  const bytes = Buffer.from(value)
  const length = [Math.min(bytes.length, 127)]
  if (bytes.length >= 127) {
    let rest = bytes.length - 127
    for (; rest >= 128; rest >>= 7) length.push((rest & 127) | 128)
    length.push(rest)
  }
  return Buffer.concat([Buffer.from(length), bytes])
}
