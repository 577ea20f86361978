import { request } from "node:http"
import type { Duplex } from "node:stream"
import { encodeFrame, type Frame, FrameReader } from "../spdy/frames.ts"
import { HeaderDeflater } from "../spdy/header-block.ts"

/** A client that speaks SPDY as Kubernetes' own do: it opens the streams. */
export class SpdyClient {
  readonly socket: Duplex
  readonly headers: Readonly<Record<string, unknown>>
  readonly frames: Frame[] = []
  readonly closed: Promise<void>
  readonly #deflater = new HeaderDeflater()
  #next = 1

  constructor(socket: Duplex, headers: Readonly<Record<string, unknown>>) {
    this.socket = socket
    this.headers = headers
    const reader = new FrameReader()
    socket.on("data", (chunk: Buffer) => this.frames.push(...reader.read(chunk)))
    socket.on("error", () => undefined)
    this.closed = new Promise((resolve) => socket.once("close", resolve))
  }

  /** Opens a stream; returns its id. */
  async open(headers: Readonly<Record<string, string>>, { fin = false } = {}): Promise<number> {
    const stream = this.#next
    this.#next += 2
    const block = await this.#deflater.deflate(new Map(Object.entries(headers)))
    this.socket.write(encodeFrame({ type: "syn-stream", stream, fin, block }))
    return stream
  }

  send(stream: number, text: string | Buffer, { fin = false } = {}): void {
    this.socket.write(encodeFrame({ type: "data", stream, fin, data: Buffer.from(text) }))
  }

  /** What has come on a stream. */
  text(stream: number): string {
    return Buffer.concat(this.frames.flatMap((one) => (one.type === "data" && one.stream === stream ? [one.data] : []))).toString()
  }

  /** Whether the server has ended its direction of a stream. */
  isEnded(stream: number): boolean {
    return this.frames.some((one) => one.type === "data" && one.stream === stream && one.fin)
  }

  isReset(stream: number): boolean {
    return this.frames.some((one) => one.type === "rst-stream" && one.stream === stream)
  }
}

/** Connects; rejects with the answer of a server that refuses. */
export function connectSpdy(address: string, path: string, ...protocols: readonly string[]): Promise<SpdyClient> {
  const [host, port] = address.split(":")
  const headers = { connection: "Upgrade", upgrade: "SPDY/3.1", "x-stream-protocol-version": protocols }
  return new Promise((resolve, reject) => {
    const asked = request({ host, port, path, method: "POST", headers: headers as never })
    asked.once("upgrade", (response, socket, head) => {
      socket.unshift(head)
      resolve(new SpdyClient(socket, response.headers))
    })
    asked.once("response", (response) => {
      let body = ""
      response.on("data", (chunk: Buffer) => (body += chunk.toString()))
      response.on("end", () => reject(new Error(`${response.statusCode} ${body}`)))
    })
    asked.once("error", reject)
    asked.end()
  })
}
