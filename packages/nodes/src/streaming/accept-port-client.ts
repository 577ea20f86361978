import type { Duplex } from "node:stream"
import type { Clock, TransportRequest } from "@pilothouse/seams"
import type { ForwardedPod } from "./session/port-forward.ts"
import { acceptSpdy, cannotNegotiate, negotiated } from "./spdy/protocol.ts"
import { chosenProtocol, isWebSocketRequest, requestedProtocols } from "./websocket/accept.ts"
import { portProtocols, requestedPorts, servePortChannels } from "./websocket/port-channels.ts"

/** SPDY in the binary messages of a WebSocket, as kubectl speaks it since 1.31. */
const tunnel = "SPDY/3.1+portforward.k8s.io"

/** Forwards ports of a pod on a connection, until it is over. */
export type AcceptPortClient = (connection: Duplex, active: () => void, pod: ForwardedPod) => Promise<void>

/** Returns how a client of port-forward is served. Throws a refusal for a protocol that is not known, or ports that are none. */
export function portClient(request: TransportRequest, clock: Clock): AcceptPortClient {
  const { headers } = request
  if (!isWebSocketRequest(headers)) {
    const protocol = negotiated(headers, ["portforward.k8s.io"])
    return async (connection, active, pod) => {
      acceptSpdy(connection, protocol)
      const { servePortStreams } = await import("./spdy/port-streams.ts")
      await servePortStreams({ connection, clock, active, pod })
    }
  }
  const known = new Set([tunnel, ...portProtocols])
  const protocol = chosenProtocol(headers, known)
  if (protocol === undefined) throw cannotNegotiate(requestedProtocols(headers), [...known])
  if (protocol !== tunnel) {
    const ports = requestedPorts(request.query)
    return (connection, active, pod) => servePortChannels({ headers, connection, active, ports, pod }, protocol)
  }
  return async (connection, active, pod) => {
    const { acceptWebSocket } = await import("./websocket/accept.ts")
    const { SocketDuplex } = await import("./websocket/socket-duplex.ts")
    const { servePortStreams } = await import("./spdy/port-streams.ts")
    const tunnelled = new SocketDuplex(await acceptWebSocket(headers, connection, protocol))
    await servePortStreams({ connection: tunnelled, clock, active, pod })
  }
}
