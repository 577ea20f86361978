import { createSocket, type Socket as UdpSocket } from "node:dgram"
import { once } from "node:events"
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net"
import { text } from "node:stream/consumers"
import type { Target } from "../targets/targets.ts"

/** A TCP server that stands for a pod. */
export interface TestEndpoint extends AsyncDisposable {
  readonly target: Target
  readonly server: Server
  readonly connections: Set<Socket>
}

/** Answers with its name, and then with all that it is sent. */
export async function echo(name: string): Promise<TestEndpoint> {
  const connections = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    connections.add(socket)
    socket.once("close", () => connections.delete(socket))
    socket.on("error", () => {})
    socket.write(`${name}:`)
    socket.pipe(socket)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    target: { address: "127.0.0.1", port: (server.address() as AddressInfo).port },
    connections,
    server,
    async [Symbol.asyncDispose]() {
      server.close()
      for (const socket of connections) socket.destroy()
    },
  }
}

/** Ends when the endpoint has answered all that it has, and takes no more. */
export async function drained({ server }: TestEndpoint): Promise<void> {
  server.close()
  await once(server, "close")
}

/** Answers every datagram with its name and what was in it. */
export async function udpEcho(name: string): Promise<Pick<TestEndpoint, "target"> & AsyncDisposable> {
  const socket = createSocket("udp4")
  socket.on("message", (message, from) => socket.send(`${name}:${message}`, from.port, from.address))
  socket.bind(0, "127.0.0.1")
  await once(socket, "listening")
  return { target: { address: "127.0.0.1", port: socket.address().port }, [Symbol.asyncDispose]: async () => void socket.close() }
}

/** Sends, ends its own side, and gives all that comes back. */
export async function ask(host: string, port: number, message: string, from?: string): Promise<string> {
  const socket = connect({ host, port, allowHalfOpen: true, localAddress: from })
  socket.end(message)
  return text(socket)
}

/** A connection that stays, and the first words that came over it. */
export async function stay(host: string, port: number): Promise<{ readonly socket: Socket; readonly first: string }> {
  const socket = connect({ host, port, allowHalfOpen: true })
  const [first] = (await once(socket, "data")) as [Buffer]
  return { socket, first: first.toString() }
}

/** Sends a datagram and returns the answer. */
export async function udpAsk(client: UdpSocket, host: string, port: number, message: string): Promise<string> {
  const answer = once(client, "message") as Promise<[Buffer]>
  client.send(message, port, host)
  return (await answer)[0].toString()
}

/** Returns a free port of 127.0.0.1. */
export async function freePort(): Promise<number> {
  await using found = await echo("free")
  return found.target.port
}
