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
 * since it takes its time from the same two cores. Always true between calls: a socket in `#idle` waits for nothing.
 */
export class LoadClient {
  readonly #options: LoadClientOptions
  readonly #idle: TLSSocket[] = []
  #session: Buffer | undefined

  constructor(options: LoadClientOptions) {
    this.#options = options
  }

  async send({ verb, path, body, contentType = "application/json" }: LoadRequest): Promise<LoadAnswer> {
    const socket = this.#waiting() ?? (await this.#connect())
    const text = body === undefined ? "" : JSON.stringify(body)
    const head = `${verb} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${adminToken}\r\naccept: application/json\r\n`
    const length = text === "" ? "" : `content-type: ${contentType}\r\ncontent-length: ${Buffer.byteLength(text)}\r\n`
    socket.write(`${head}${length}\r\n${text}`)
    const answer = await read(socket)
    if (this.#idle.length < this.#options.sockets) this.#idle.push(socket)
    else socket.destroy()
    return answer
  }

  /** Throws where the answer is not the expected one: a refusal is fast, and must not count. */
  async expect(status: number, call: LoadRequest): Promise<Buffer> {
    const answer = await this.send(call)
    if (answer.status !== status) throw new Error(`${call.verb} ${call.path}: expected ${status}, found ${answer.status} ${answer.bytes}`)
    return answer.bytes
  }

  close(): void {
    for (const socket of this.#idle.splice(0)) socket.destroy()
  }

  /** A server closes connections that nobody used for a while. */
  #waiting(): TLSSocket | undefined {
    for (let socket = this.#idle.pop(); socket !== undefined; socket = this.#idle.pop()) {
      if (!socket.destroyed && !socket.readableEnded && socket.writable) return socket
    }
    return undefined
  }

  #connect(): Promise<TLSSocket> {
    const { port, ca } = this.#options
    return new Promise((resolve, reject) => {
      const socket = connect({ host: "127.0.0.1", port, ca, session: this.#session, servername: "localhost" }, () => {
        socket.removeListener("error", reject)
        // Of one that waits nobody else would hear it; the next request finds it destroyed.
        socket.on("error", () => {})
        resolve(socket)
      })
      socket.once("error", reject)
      socket.once("session", (session) => {
        this.#session = session
      })
      socket.setNoDelay(true)
    })
  }
}

/** One whole answer: nobody asks again on a socket before it has come. */
function read(socket: TLSSocket): Promise<LoadAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const end = (settle: () => void) => {
      socket.removeListener("data", onData)
      socket.removeListener("error", onError)
      socket.removeListener("close", onClose)
      settle()
    }
    const onData = (chunk: Buffer) => {
      chunks.push(chunk)
      const answer = parse(chunks)
      if (answer !== undefined) end(() => resolve(answer))
    }
    const onError = (error: Error) => end(() => reject(error))
    const onClose = () => end(() => reject(new Error("the connection was closed before the answer had come")))
    socket.on("data", onData).on("error", onError).on("close", onClose)
  })
}

/** Undefined while some of it is missing. */
function parse(chunks: Buffer[]): LoadAnswer | undefined {
  const first = chunks[0]!
  const split = first.indexOf("\r\n\r\n")
  if (split === -1) return joined(chunks)
  const head = first.toString("latin1", 0, split)
  const status = Number(head.slice(9, 12))
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  const have = chunks.reduce((sum, chunk) => sum + chunk.length, 0) - split - 4
  if (length !== undefined) return have < Number(length) ? undefined : { status, bytes: Buffer.concat(chunks).subarray(split + 4) }
  if (!/\r\ntransfer-encoding: *chunked/i.test(head)) return { status, bytes: Buffer.alloc(0) }
  // A chunk of no length is the last one.
  if (chunks.at(-1)!.length < 5) joined(chunks)
  const last = chunks.at(-1)!
  const ended = last.toString("latin1", Math.max(0, last.length - 5)) === "0\r\n\r\n"
  return ended ? { status, bytes: Buffer.concat(chunks).subarray(split + 4) } : undefined
}

/** Puts what has come into one piece, to be looked at again with the next. */
function joined(chunks: Buffer[]): undefined {
  chunks.splice(0, chunks.length, Buffer.concat(chunks))
}
