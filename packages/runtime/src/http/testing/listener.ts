import { connect as connectTo, createServer, type Socket } from "node:net"

export interface TestListener extends AsyncDisposable {
  readonly port: number
}

/** Takes connections on a port; it and whatever `accept` opens is closed with it. */
export async function testListener(accept: (client: Socket, connect: (port: number) => Socket) => void): Promise<TestListener> {
  const sockets = new Set<Socket>()
  const kept = (socket: Socket): Socket => {
    sockets.add(socket)
    return socket.on("error", () => {})
  }
  const server = createServer((client) => accept(kept(client), (port) => kept(connectTo(port, "127.0.0.1"))))
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve)
  })
  return {
    port: (server.address() as { port: number }).port,
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
