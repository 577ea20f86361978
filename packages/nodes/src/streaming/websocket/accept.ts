import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import type { HeaderMap } from "@pilothouse/seams"
import type { WebSocket } from "ws"

/** Bytes of one message. Kubernetes' clients send 32 KiB and one; a client-node that copies a file sends 64. */
const maxPayload = 1024 * 1024

/** Reports whether the client requests a WebSocket; the headers are those of an upgrade. */
export function isWebSocketRequest(headers: HeaderMap): boolean {
  return (headers.upgrade ?? "").toLowerCase() === "websocket"
}

/** Returns the subprotocols that the client offers, its preferred one first. */
export function requestedProtocols(headers: HeaderMap): readonly string[] {
  return (headers["sec-websocket-protocol"] ?? "")
    .split(",")
    .map((protocol) => protocol.trim())
    .filter((protocol) => protocol !== "")
}

/** The first protocol of the client that is known here; "" where it asks for none, and undefined where it knows none of ours. */
export function chosenProtocol(headers: HeaderMap, known: ReadonlySet<string>): string | undefined {
  const requested = requestedProtocols(headers)
  return requested.length === 0 ? "" : requested.find((protocol) => known.has(protocol))
}

/**
 * Answers the handshake on a connection that was taken. Its faults (a version other than 13, no key) are answered with 400; the promise rejects then.
 */
export async function acceptWebSocket(headers: HeaderMap, connection: Duplex, protocol: string): Promise<WebSocket> {
  const { WebSocketServer } = await import("ws")
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload,
    skipUTF8Validation: true,
    // One message of a connection in a turn of the event loop: a client may send thousands in the bytes that are read at once.
    allowSynchronousEvents: false,
  })
  // Chosen already, and one of them (SPDY/3.1+portforward.k8s.io) has a name that the library takes for none.
  const { "sec-websocket-protocol": _requested, ...others } = headers
  if (protocol !== "") server.on("headers", (lines) => lines.push(`Sec-WebSocket-Protocol: ${protocol}`))
  return new Promise((resolve, reject) => {
    connection.once("close", () => reject(new Error("the connection was closed in its handshake")))
    const request = { method: "GET", headers: others } as unknown as IncomingMessage
    server.handleUpgrade(request, connection, Buffer.alloc(0), (socket) => {
      // Faults of the client end the socket by a close frame with the reason: nothing else is to be done.
      socket.on("error", () => undefined)
      resolve(socket)
    })
  })
}
