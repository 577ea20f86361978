import type { Http2SecureServer } from "node:http2"
import type { Connections } from "@pilothouse/seams/edge"

/** Go's, to the byte: what people search for when they forgot the "s" of "https". */
const answer = "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"

/** Answers a client that speaks HTTP without TLS; else its connection would just end. */
export function answerPlainHttp(server: Http2SecureServer, connections: Connections): void {
  server.on("tlsClientError", (error: NodeJS.ErrnoException, socket) => {
    // The socket that is reported has nothing left to write to; the one below TLS has.
    if (error.code === "ERR_SSL_HTTP_REQUEST") connections.at(socket)?.socket.end(answer)
  })
}
