import type { Http2SecureServer } from "node:http2"
import type { Socket } from "node:net"

/** Go's, to the byte: what people search for when they forgot the "s" of "https". */
const answer = "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"

/** Tells who speaks HTTP without TLS what is wrong; without it the connection would just end. */
export function answerPlainHttp(server: Http2SecureServer): void {
  /** The sockets below TLS, by the client's end: the one that is reported has nothing left to write to. */
  const sockets = new Map<string, Socket>()
  server.on("connection", (socket: Socket) => {
    const end = endOf(socket)
    sockets.set(end, socket)
    socket.on("close", () => sockets.delete(end))
  })
  server.on("tlsClientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ERR_SSL_HTTP_REQUEST") sockets.get(endOf(socket))?.end(answer)
  })
}

function endOf({ remoteAddress, remotePort }: Pick<Socket, "remoteAddress" | "remotePort">): string {
  return `${remoteAddress} ${remotePort}`
}
