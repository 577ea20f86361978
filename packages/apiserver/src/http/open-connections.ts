import type { Http2SecureServer, ServerHttp2Session } from "node:http2"
import type { TLSSocket } from "node:tls"
import type { Clock } from "@pilothouse/seams"
import { type Connections, http2Protocol, type Output } from "@pilothouse/seams/edge"
import { breakOff, type Exchange, isHttp2 } from "./exchange/exchange.ts"
import { hasBody } from "./request/read-request.ts"

/**
 * The connections of a server and what is being answered on them: what stopping must wait for.
 *
 * Invariant: an exchange is counted from its request until its response is closed, and a socket is here until it is;
 * after close() was called, no socket stays open once no exchange is, and none at all when the grace period is over.
 */
export class OpenConnections {
  readonly #connections: Connections
  /** Those whose handshake is over. */
  readonly #sockets = new Set<TLSSocket>()
  #exchanges = 0
  readonly #stopping = new AbortController()
  /** One for all: making a reason for each answer costs more than parsing most bodies. */
  readonly #over = new DOMException("the answer is over", "AbortError")
  readonly #clock: Clock

  constructor(clock: Clock, connections: Connections) {
    this.#clock = clock
    this.#connections = connections
  }

  get stopping(): AbortSignal {
    return this.#stopping.signal
  }

  addSocket(socket: TLSSocket): void {
    this.#sockets.add(socket)
    // Node has reported the session of HTTP/2 before its socket: its way to end stays.
    this.#connections.ready(socket, socket, socket.alpnProtocol === "h2" ? {} : { retire: () => socket.end() })
    socket.on("close", () => this.#sockets.delete(socket))
    socket.on("error", () => socket.destroy())
  }

  addSession(session: ServerHttp2Session): void {
    this.#connections.ready(session, session.socket, http2Protocol(session))
  }

  addExchange(exchange: Exchange): void {
    const { request, response, controller } = exchange
    const connection = this.#connections.of(carrierOf(exchange))
    this.#exchanges++
    const output = outputOf(exchange)
    if (connection !== undefined) {
      this.#connections.open(connection, output)
      response.on("drain", () => this.#connections.took(connection, output))
      // Every body is read or discarded, which begins before the first chunk comes.
      if (hasBody(exchange)) request.on("data", () => this.#connections.readBody(connection))
    }
    response.on("error", () => controller.abort(this.#over))
    response.on("close", () => {
      // After a whole answer nothing listens to the signal.
      if (!response.writableEnded) controller.abort(this.#over)
      if (connection !== undefined) this.#connections.close(connection, output)
      this.#exchanges--
      this.#endIdleSockets()
    })
  }

  /** The socket speaks another protocol from now on. */
  upgraded(socket: TLSSocket): void {
    const connection = this.#connections.of(socket)
    if (connection !== undefined) connection.isUpgraded = true
  }

  close(server: Http2SecureServer, graceMilliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const grace = this.#clock.timer(graceMilliseconds, "end of the HTTPS grace period", () => this.#connections.destroy())
      server.close(() => {
        grace[Symbol.dispose]()
        this.#connections.destroy()
        resolve()
      })
      this.#stopping.abort()
      this.#connections.destroyOpening()
      this.#endIdleSockets()
    })
  }

  #endIdleSockets(): void {
    if (!this.stopping.aborted || this.#exchanges > 0) return
    for (const socket of this.#sockets) socket.destroySoon()
  }
}

/** Over HTTP/1.1 an answer ends with its connection. */
function outputOf(exchange: Exchange): Output {
  const { response } = exchange
  if (!isHttp2(exchange)) return response
  const { stream } = response
  const reset = () => {
    breakOff(exchange)
    // Where nothing can be written, the reset is never sent and the stream would not end.
    stream.destroy()
  }
  return {
    get writableLength() {
      return response.writableLength
    },
    reset,
  }
}

/** What its connection was made known by. A stream that is closed already has no session. */
function carrierOf(exchange: Exchange): object {
  const { request } = exchange
  return isHttp2(exchange) ? (request.stream.session ?? request.stream) : request.socket
}
