import { createServer, type Server, type Socket } from "node:net"

/** A bound TCP socket. */
export interface TcpListener {
  readonly port: number
  /** Accepts no new connections; open ones stay. Resolves when the port is free. */
  close(): Promise<void>
}

/** Binds the port. Throws the system's error: EACCES, EADDRINUSE, EADDRNOTAVAIL. */
export function listenTcp(address: string, port: number, accept: (socket: Socket) => void): Promise<TcpListener> {
  // Not read from until an endpoint has been found: what the client sends first would be lost.
  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true }, accept)
  return new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen({ host: address, port, backlog: 4096 }, () => {
      server.off("error", reject)
      // Too many open files: the next one may be taken.
      server.on("error", () => {})
      resolve({ port: portOf(server), close: () => closed(server) })
    })
  })
}

function portOf(server: Server): number {
  const address = server.address()
  return typeof address === "object" && address !== null ? address.port : 0
}

/** Not waiting for the open connections: the port is free as soon as the handle is closed. */
function closed(server: Server): Promise<void> {
  server.close()
  return Promise.resolve()
}
