import type { Http2SecureServer } from "node:http2"
import type { TLSSocket } from "node:tls"
import type { Clock } from "@pilothouse/seams"
import type { Exchange } from "./exchange.ts"

/**
 * Who is connected, and what is being answered: what stopping must wait for.
 *
 * Always true between calls: an exchange is here from its request until its response is closed, and a socket until it is;
 * after close() was called, no socket stays open once no exchange is.
 */
export class OpenConnections {
  readonly #sockets = new Set<TLSSocket>()
  readonly #exchanges = new Set<Exchange>()
  readonly #stopping = new AbortController()
  /** One for all: making a reason for each answer costs more than parsing most bodies. */
  readonly #over = new DOMException("the answer is over", "AbortError")
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get stopping(): AbortSignal {
    return this.#stopping.signal
  }

  addSocket(socket: TLSSocket): void {
    this.#sockets.add(socket)
    socket.on("close", () => this.#sockets.delete(socket))
    socket.on("error", () => socket.destroy())
  }

  addExchange(exchange: Exchange): void {
    const { response, controller } = exchange
    this.#exchanges.add(exchange)
    response.on("error", () => controller.abort(this.#over))
    response.on("close", () => {
      // After a whole answer nobody listens any more.
      if (!response.writableEnded) controller.abort(this.#over)
      this.#exchanges.delete(exchange)
      this.#endIdleSockets()
    })
  }

  close(server: Http2SecureServer, graceMilliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const grace = this.#clock.timer(graceMilliseconds, "end of the HTTPS grace period", () => this.#destroySockets())
      server.close(() => {
        grace[Symbol.dispose]()
        resolve()
      })
      this.#stopping.abort()
      this.#endIdleSockets()
    })
  }

  #endIdleSockets(): void {
    if (!this.stopping.aborted || this.#exchanges.size > 0) return
    for (const socket of this.#sockets) socket.destroySoon()
  }

  #destroySockets(): void {
    for (const socket of this.#sockets) socket.destroy()
  }
}
