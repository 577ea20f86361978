import type { Duplex } from "node:stream"
import { type Clock, type Query, queryValue, type TransportRequest, type Upgrade } from "@pilothouse/seams"
import type { CommandClient, WantedStreams } from "./session/command-client.ts"
import type { ForwardedPod } from "./session/port-forward.ts"
import { refusal } from "./session/refusal.ts"
import type { Session } from "./session/sessions.ts"
import { acceptSpdy, cannotNegotiate, negotiated } from "./spdy/protocol.ts"
import { acceptWebSocket, chosenProtocol, isWebSocketRequest, requestedProtocols } from "./websocket/accept.ts"
import { commandProtocols, webSocketClient } from "./websocket/command-channels.ts"
import { portProtocols, requestedPorts, servePortChannels } from "./websocket/port-channels.ts"

/** What a client of exec or attach has asked for, in a kubelet's parameters. Throws the refusal of one that wants nothing. */
export function wantedStreams(query: Query): WantedStreams {
  const has = (name: string) => queryValue(query, name) === "1"
  const tty = has("tty")
  const wanted = { stdin: has("input"), stdout: has("output"), stderr: has("error") && !tty, tty }
  if (!wanted.stdin && !wanted.stdout && !wanted.stderr) throw refusal(400, "you must specify at least 1 of stdin, stdout, stderr")
  return wanted
}

/** The connection of a request, or the refusal of one that cannot be taken over. */
export function upgradeOf({ upgrade }: TransportRequest): Upgrade {
  if (upgrade !== undefined) return upgrade
  throw refusal(400, "unable to upgrade: missing upgrade headers in request")
}

/** Speaks the protocol of a client on its connection. */
export type AcceptClient = (connection: Duplex, session: Session) => Promise<CommandClient>

/** Returns how a client of exec or attach is accepted. Throws a refusal for a protocol that is not known. */
export function commandClient({ headers }: TransportRequest, wanted: WantedStreams, clock: Clock): AcceptClient {
  if (isWebSocketRequest(headers)) {
    const protocol = chosenProtocol(headers, commandProtocols)
    if (protocol === undefined) throw cannotNegotiate(requestedProtocols(headers), [...commandProtocols])
    return (connection, { active }) => webSocketClient({ headers, connection, active }, protocol, wanted)
  }
  const protocol = negotiated(headers, spdyCommandProtocols)
  return async (connection, { active }) => {
    const { spdyClient } = await import("./spdy/command-streams.ts")
    return spdyClient({ connection, clock, active }, protocol, wanted)
  }
}

/** Protocols of exec and attach over SPDY, in upstream's order: 2 closes standard input, 3 resizes, 4 sends a Status. */
const spdyCommandProtocols = ["v4.channel.k8s.io", "v3.channel.k8s.io", "v2.channel.k8s.io", "channel.k8s.io"] as const

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
    const { SocketDuplex } = await import("./websocket/socket-duplex.ts")
    const { servePortStreams } = await import("./spdy/port-streams.ts")
    const tunnelled = new SocketDuplex(await acceptWebSocket(headers, connection, protocol))
    await servePortStreams({ connection: tunnelled, clock, active, pod })
  }
}
