import type { IncomingMessage, ServerResponse } from "node:http"
import type { Http2SecureServer, Http2ServerRequest, Http2ServerResponse } from "node:http2"
import type { Duplex } from "node:stream"
import type { TLSSocket } from "node:tls"
import { onAbort, PilothouseError } from "@pilothouse/seams"
import type { TakenUpgrade } from "../exchange/exchange.ts"

/** What clients of Kubernetes upgrade to. Any other protocol is passed over, as HTTP has it: the request is answered over HTTP/1.1. */
const protocols = /^(?:websocket|spdy\/3\.1)$/i

type Listener = (request: Http2ServerRequest, response: Http2ServerResponse, socket: TLSSocket, head: Buffer) => void

/** Calls the listener for each request over HTTP/1.1 that asks for another protocol and has no body. Its response ends the connection. */
export function onUpgrade(server: Http2SecureServer, listener: Listener): void {
  const { ServerResponse } = process.getBuiltinModule("node:http")
  // Of the HTTP/1.1 side, which node's types leave out.
  Object.assign(server, { shouldUpgradeCallback: isUpgrade })
  server.on("upgrade", (request: IncomingMessage, socket: TLSSocket, head: Buffer) => {
    const response = new ServerResponse(request)
    response.shouldKeepAlive = false
    response.assignSocket(socket)
    response.once("finish", () => {
      response.detachSocket(socket)
      socket.destroySoon()
    })
    // As node's own: objects of node:http have the part of the HTTP/2 interface that is used.
    listener(request as unknown as Http2ServerRequest, response as unknown as Http2ServerResponse, socket, head)
  })
}

function isUpgrade({ headers, method }: IncomingMessage): boolean {
  const hasBody = headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0
  return (method === "GET" || method === "POST") && !hasBody && protocols.test(headers.upgrade ?? "")
}

/** What is handed over, and what has to know. */
interface ConnectionUpgradeOptions {
  readonly response: Http2ServerResponse
  readonly socket: TLSSocket
  /** What the client has sent behind its request. */
  readonly head: Buffer
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal
  readonly upgraded: () => void
}

/** The connection of one request. Always true: it is handed over at most once, and the response is closed when the connection is. */
export class ConnectionUpgrade implements TakenUpgrade {
  readonly #options: ConnectionUpgradeOptions
  #isTaken = false

  constructor(options: ConnectionUpgradeOptions) {
    this.#options = options
  }

  get isTaken(): boolean {
    return this.#isTaken
  }

  take(): Duplex {
    const { response, socket, head, stopping, upgraded } = this.#options
    if (this.#isTaken || response.headersSent)
      throw new PilothouseError("INVALID", "expected a request that is not answered yet, found one whose connection was taken or answered")
    this.#isTaken = true
    ;(response as unknown as ServerResponse).detachSocket(socket)
    upgraded()
    const stop = onAbort(stopping, () => socket.destroy())
    socket.once("close", () => {
      stop[Symbol.dispose]()
      response.emit("close")
    })
    if (head.length > 0) socket.unshift(head)
    return socket
  }
}
