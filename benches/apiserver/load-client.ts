import { connect, type TLSSocket } from "node:tls"

export const adminToken = "bench-token"

export interface LoadClientOptions {
  readonly port: number
  readonly ca: string
  readonly sockets: number
}

export interface LoadRequest {
  readonly verb: string
  readonly path: string
  readonly body?: unknown
  readonly contentType?: string
}

export interface LoadAnswer {
  readonly status: number
  readonly bytes: Buffer
}

/**
 * HTTP/1.1 over kept TLS connections, by hand: the same code for every server that is measured, and as little of it as possible,
 * since it takes its time from the same two cores. Invariant: a line in `#idle` waits for nothing.
 */
export class LoadClient {
  readonly #options: LoadClientOptions
  readonly #idle: Line[] = []
  #session: Buffer | undefined

  constructor(options: LoadClientOptions) {
    this.#options = options
  }

  async send(request: LoadRequest): Promise<LoadAnswer> {
    const line = this.#waiting() ?? (await this.#connect())
    const answer = await line.ask(textOf(request))
    if (this.#idle.length < this.#options.sockets) this.#idle.push(line)
    else line.close()
    return answer
  }

  /** Throws where the answer is not the expected one: a refusal is fast, and must not count. */
  async expect(status: number, call: LoadRequest): Promise<Buffer> {
    const answer = await this.send(call)
    if (answer.status !== status) throw new Error(`${call.verb} ${call.path}: expected ${status}, found ${answer.status} ${answer.bytes}`)
    return answer.bytes
  }

  close(): void {
    for (const line of this.#idle.splice(0)) line.close()
  }

  /** A server closes connections that were idle for a while. */
  #waiting(): Line | undefined {
    for (let line = this.#idle.pop(); line !== undefined; line = this.#idle.pop()) if (line.isOpen) return line
    return undefined
  }

  #connect(): Promise<Line> {
    const { port, ca } = this.#options
    return new Promise((resolve, reject) => {
      // One buffer for all that comes, and no stream of it: that saves a fifth of what a request costs here (measured).
      const onread = { buffer: Buffer.allocUnsafeSlow(65_536), callback: (length: number, buffer: Uint8Array) => line.take(buffer, length) }
      // Node's types have it for plain sockets only.
      const options = { host: "127.0.0.1", port, ca, session: this.#session, servername: "localhost", onread }
      const socket = connect(options, () => resolve(line))
      const line = new Line(socket)
      socket.once("error", reject)
      socket.once("session", (session) => {
        this.#session = session
      })
      socket.setNoDelay(true)
    })
  }
}

function textOf({ verb, path, body, contentType = "application/json" }: LoadRequest): string {
  const text = body === undefined ? "" : JSON.stringify(body)
  const head = `${verb} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${adminToken}\r\naccept: application/json\r\n`
  const length = text === "" ? "" : `content-type: ${contentType}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`
  return `${head}${length}\r\n${text}`
}

/** One connection. The next request waits for the answer. */
class Line {
  readonly #socket: TLSSocket
  #asked: PromiseWithResolvers<LoadAnswer> | undefined
  #chunks: Buffer[] = []

  constructor(socket: TLSSocket) {
    this.#socket = socket
    // While it is idle nothing else would notice; the next request finds it destroyed.
    socket.on("error", (error) => this.#asked?.reject(error))
    socket.on("close", () => this.#asked?.reject(new Error("the connection was closed before the answer had come")))
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed && !this.#socket.readableEnded && this.#socket.writable
  }

  ask(text: string): Promise<LoadAnswer> {
    this.#asked = Promise.withResolvers()
    this.#socket.write(text)
    return this.#asked.promise
  }

  /** The buffer is used again: what is kept is copied. True: more may come. */
  take(buffer: Uint8Array, length: number): boolean {
    this.#chunks.push(Buffer.from(buffer.subarray(0, length)))
    const answer = parse(this.#chunks)
    if (answer === undefined) return true
    const asked = this.#asked
    this.#asked = undefined
    this.#chunks = []
    asked?.resolve(answer)
    return true
  }

  close(): void {
    this.#socket.destroy()
  }
}

/** Undefined while some of it is missing. */
function parse(chunks: Buffer[]): LoadAnswer | undefined {
  const first = chunks[0]!
  const split = first.indexOf("\r\n\r\n")
  if (split === -1) return joined(chunks)
  const head = first.toString("latin1", 0, split)
  const status = Number(head.slice(9, 12))
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length !== undefined) return whole(chunks, split + 4, Number(length), status)
  if (!/\r\ntransfer-encoding: *chunked/i.test(head)) return { status, bytes: Buffer.alloc(0) }
  // A chunk of no length is the last one.
  if (chunks.at(-1)!.length < 5) joined(chunks)
  const last = chunks.at(-1)!
  const ended = last.toString("latin1", Math.max(0, last.length - 5)) === "0\r\n\r\n"
  return ended ? { status, bytes: Buffer.concat(chunks).subarray(split + 4) } : undefined
}

function whole(chunks: readonly Buffer[], from: number, length: number, status: number): LoadAnswer | undefined {
  const have = chunks.reduce((sum, chunk) => sum + chunk.length, -from)
  if (have < length) return undefined
  return { status, bytes: (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).subarray(from) }
}

/** Puts what has come into one piece, to be looked at again with the next. */
function joined(chunks: Buffer[]): undefined {
  chunks.splice(0, chunks.length, Buffer.concat(chunks))
}
