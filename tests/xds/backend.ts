import { createServer, type Server } from "node:http"
import { createServer as createTcpServer, type Server as TcpServer } from "node:net"

/** An HTTP server that answers with its name. */
export class Backend implements AsyncDisposable {
  readonly name: string
  readonly #server: Server
  answered = 0

  constructor(name: string) {
    this.name = name
    this.#server = createServer((_request, response) => {
      this.answered++
      response.end(this.name)
    })
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve))
    return this
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections()
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve))
  }
}

/** A TCP server that says its name and hangs up. */
export async function tcpBackend(name: string): Promise<{ readonly port: number } & AsyncDisposable> {
  const server: TcpServer = createTcpServer((socket) => {
    socket.on("error", () => socket.destroy())
    socket.end(name)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    port: (server.address() as { port: number }).port,
    [Symbol.asyncDispose]: () => new Promise((resolve) => void server.close(() => resolve())),
  }
}
