import type { Http2SecureServer } from "node:http2"
import { messageOf, PilothouseError } from "@pilothouse/seams"
import type { Connections } from "@pilothouse/seams/edge"

/** Gives the port, which is a free one where 0 was asked for. */
export function listen(server: Http2SecureServer, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) => reject(refused(error, host, port))
    server.once("error", fail)
    server.listen({ port, host: isUnspecified(host) ? undefined : host }, () => {
      server.off("error", fail)
      const address = server.address()
      resolve(typeof address === "object" && address !== null ? address.port : port)
    })
  })
}

/** All addresses of this machine, be they IPv4 or IPv6, as Go means it: that is where node listens when nothing is said. */
function isUnspecified(host: string): boolean {
  return host === "0.0.0.0" || host === "::"
}

function refused(error: NodeJS.ErrnoException, host: string, port: number): PilothouseError {
  if (error.code === "EADDRINUSE") {
    const found = "found it in use by another program; stop that program or choose another port"
    return new PilothouseError("PORT_TAKEN", `expected port ${port} of ${host} to be free, ${found}`, { cause: error })
  }
  const found = foundBy[error.code ?? ""] ?? messageOf(error)
  const message = `expected to listen on port ${port} of ${host}, found: ${found}; choose another address or port`
  return new PilothouseError("ADDRESS", message, { cause: error })
}

/** By node's codes. */
const foundBy: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: "it is no address of this machine",
  EACCES: "this user may not (ports below 1024 are the administrator's)",
}

/** Go's, to the byte: what people search for when they forgot the "s" of "https". */
const answer = "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n"

/** Answers a client that speaks HTTP without TLS; else its connection would just end. */
export function answerPlainHttp(server: Http2SecureServer, connections: Connections): void {
  server.on("tlsClientError", (error: NodeJS.ErrnoException, socket) => {
    // The socket that is reported has nothing left to write to; the one below TLS has.
    if (error.code === "ERR_SSL_HTTP_REQUEST") connections.at(socket)?.socket.end(answer)
  })
}
