import { readFileSync } from "node:fs"
import { type ClientHttp2Session, connect as connectHttp2, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http2"
import { request as requestHttp1 } from "node:https"
import { connect as connectTcp, type Socket } from "node:net"
import { connect as connectTls, type TLSSocket } from "node:tls"
import { within } from "./waiting.ts"

/** Milliseconds. Longer than every answer that is allowed to take its time; a stalled server takes longer. */
const answerTime = 20_000
/** Bytes of headers that a request of an attack may have. */
const headerLimit = 2 ** 21

/** A client certificate or a token; none of them for an anonymous client. */
export interface Credentials {
  readonly cert?: Buffer
  readonly key?: Buffer
  readonly token?: string
}

export interface WireRequest {
  readonly method?: string
  readonly path: string
  readonly headers?: OutgoingHttpHeaders
  /** Text and bytes are sent as they are, anything else as JSON. */
  readonly body?: unknown
}

export interface WireAnswer {
  /** 0 where the connection broke before an answer came. */
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

/** The administrator of a kubeconfig that pilothouse wrote. */
export function administrator(kubeconfig: string): Credentials {
  const { users } = JSON.parse(readFileSync(kubeconfig, "utf8"))
  const { "client-certificate-data": cert, "client-key-data": key, token } = users[0].user
  return token === undefined ? { cert: Buffer.from(cert, "base64"), key: Buffer.from(key, "base64") } : { token }
}

/** The connections of one attacker to one port of the loopback. Always true after leave(): none of them is open. */
export class Wire {
  readonly port: number
  readonly #certificate: Pick<Credentials, "cert" | "key">
  readonly #authorization: OutgoingHttpHeaders
  readonly #sockets = new Set<Socket>()
  readonly #sessions = new Set<ClientHttp2Session>()
  #session: ClientHttp2Session | undefined

  constructor(port: number, { token, ...certificate }: Credentials = {}) {
    this.port = port
    this.#certificate = certificate
    this.#authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  }

  /** One request over HTTP/2, on one connection with the others. */
  async send({ method = "GET", path, headers = {}, body }: WireRequest): Promise<WireAnswer> {
    if (this.#session === undefined || this.#session.closed || this.#session.destroyed) this.#session = this.session()
    const session = this.#session
    const answered = new Promise<WireAnswer>((resolve) => {
      const failed = (error?: Error) => resolve({ status: 0, headers: {}, text: error?.message ?? "the connection was closed" })
      session.once("error", failed)
      const stream = session.request({ ":method": method, ":path": path, ...this.#headersOf(headers) })
      const chunks: Buffer[] = []
      let head: IncomingHttpHeaders & { ":status"?: number } = {}
      stream.once("response", (found) => {
        head = found
      })
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.once("error", failed)
      stream.once("close", () => {
        session.off("error", failed)
        const status = head[":status"]
        if (status === undefined) failed()
        else resolve({ status, headers: head, text: Buffer.concat(chunks).toString() })
      })
      stream.end(bytesOf(body))
    })
    return await inTime(answered, `${method} ${path}`)
  }

  /** The same over HTTP/1.1, which knows no limit for a header field of its own; on a connection of its own. */
  async sendHttp1({ method = "GET", path, headers = {}, body }: WireRequest): Promise<WireAnswer> {
    const answered = new Promise<WireAnswer>((resolve) => {
      const sent = requestHttp1({
        host: "127.0.0.1",
        port: this.port,
        method,
        path,
        agent: false,
        rejectUnauthorized: false,
        headers: this.#headersOf(headers),
        ...this.#certificate,
      })
      sent.once("socket", (socket) => this.#keep(socket))
      sent.once("error", ({ message }) => resolve({ status: 0, headers: {}, text: message }))
      sent.once("response", (response) => {
        const chunks: Buffer[] = []
        response.on("data", (chunk: Buffer) => chunks.push(chunk))
        response.once("close", () =>
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text: Buffer.concat(chunks).toString() }),
        )
      })
      sent.end(bytesOf(body))
    })
    return await inTime(answered, `${method} ${path}`)
  }

  #headersOf(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
    return { "content-type": "application/json", ...this.#authorization, ...headers }
  }

  /** Creates an object: JSON. */
  create(path: string, body: unknown): Promise<WireAnswer> {
    return this.send({ method: "POST", path, body })
  }

  /** An HTTP/2 connection of its own. */
  session(): ClientHttp2Session {
    const session = connectHttp2(`https://127.0.0.1:${this.port}`, {
      ...this.#certificate,
      rejectUnauthorized: false,
      maxSendHeaderBlockLength: headerLimit,
    })
    session.on("error", () => session.destroy())
    session.setMaxListeners(0)
    session.once("close", () => this.#sessions.delete(session))
    this.#sessions.add(session)
    return session
  }

  /** A connection without TLS. */
  tcp(): Socket {
    return this.#keep(connectTcp({ host: "127.0.0.1", port: this.port, allowHalfOpen: true }))
  }

  /** A connection with TLS that is through its handshake; rejects where the server closes it before. */
  async tls(protocol: "h2" | "http/1.1"): Promise<TLSSocket> {
    const options = { host: "127.0.0.1", port: this.port, rejectUnauthorized: false, ALPNProtocols: [protocol], ...this.#certificate }
    const socket = this.#keep(connectTls(options))
    const connected = new Promise<TLSSocket>((resolve, reject) => {
      socket.once("secureConnect", () => resolve(socket))
      socket.once("close", () => reject(new Error("the server closed the connection in the handshake")))
    })
    const found = await within(connected, answerTime)
    if (found === undefined) throw new Error(`expected a TLS handshake within ${answerTime / 1000} s, found none`)
    return found
  }

  /** Bytes over HTTP/1.1, and what came back until the server closed the connection or nothing more came. */
  async raw(text: string, quiet = 1000): Promise<{ readonly text: string; readonly closed: boolean }> {
    const socket = await this.tls("http/1.1")
    const chunks: Buffer[] = []
    const result = (closed: boolean) => ({ text: Buffer.concat(chunks).toString("latin1"), closed })
    return await new Promise((resolve) => {
      const limit = setTimeout(() => resolve(result(false)), answerTime)
      const end = (closed: boolean) => {
        clearTimeout(limit)
        socket.destroy()
        resolve(result(closed))
      }
      socket.on("data", (chunk: Buffer) => {
        chunks.push(chunk)
        socket.setTimeout(quiet)
      })
      socket.once("timeout", () => end(false))
      socket.once("close", () => end(true))
      socket.write(Buffer.from(text, "latin1"))
    })
  }

  leave(): void {
    for (const session of this.#sessions) session.destroy()
    for (const socket of this.#sockets) socket.destroy()
  }

  #keep<T extends Socket>(socket: T): T {
    this.#sockets.add(socket)
    socket.on("error", () => socket.destroy())
    socket.once("close", () => this.#sockets.delete(socket))
    return socket
  }
}

/** A server that does not answer is not asked again: the row ends here. */
async function inTime(answered: Promise<WireAnswer>, what: string): Promise<WireAnswer> {
  const answer = await within(answered, answerTime)
  if (answer === undefined) throw new Error(`expected an answer to ${what.slice(0, 120)} within ${answerTime / 1000} s, found none`)
  return answer
}

function bytesOf(body: unknown): string | Uint8Array | undefined {
  return body === undefined || typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body)
}

/** Statuses of an answer over HTTP/1.1: ["200", "400"]. */
export function statusesIn(text: string): readonly string[] {
  return [...text.matchAll(/HTTP\/1\.[01] (\d{3})/g)].map((match) => match[1]!)
}
