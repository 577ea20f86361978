import type { Duplex } from "node:stream"
import { type HeaderMap, type Query, queryValue } from "@pilothouse/seams"
import { type ForwardedPod, forwardPort } from "../session/port-forward.ts"
import { refusal } from "../session/refusal.ts"
import type { StreamSession } from "../session/sessions.ts"
import { acceptWebSocket } from "./accept.ts"
import { ChannelSocket } from "./channel-socket.ts"
import { ChannelReader, channelWriter } from "./channel-streams.ts"

/** Sub-protocols of port-forward with channels. Without one a client has the first, in binary. */
export const portProtocols: ReadonlySet<string> = new Set([
  "v4.channel.k8s.io",
  "v4.base64.channel.k8s.io",
  "channel.k8s.io",
  "base64.channel.k8s.io",
])

/** Ports of one connection: two channels each, and the number of a channel is one byte. */
const maxPorts = 127

/** The ports of a request, in a kubelet's words where they cannot be read. */
export function requestedPorts(query: Query): readonly number[] {
  const text = queryValue(query, "port")
  if (text === undefined) throw refusal(400, 'query parameter "port" is required')
  if (text === "") throw refusal(400, 'query parameter "port" cannot be empty')
  const words = text.split(",", maxPorts + 1)
  if (words.length > maxPorts) throw refusal(400, `expected at most ${maxPorts} ports, found more; forward them in several connections`)
  return words.map((word) => {
    const port = /^\d{1,5}$/.test(word) ? Number(word) : Number.NaN
    if (Number.isNaN(port) || port > 0xffff) throw refusal(400, `unable to parse ${JSON.stringify(text)} as a port`)
    if (port < 1) throw refusal(400, `port ${JSON.stringify(text)} must be > 0`)
    return port
  })
}

interface PortSocket {
  readonly headers: HeaderMap
  readonly connection: Duplex
  readonly session: StreamSession
  readonly ports: readonly number[]
  readonly pod: ForwardedPod
}

/** Forwards each port once over two channels, data and errors; the first message of a channel names its port. Ends with the last of them. */
export async function servePortChannels({ headers, connection, session, ports, pod }: PortSocket, protocol: string): Promise<void> {
  const socket = new ChannelSocket(await acceptWebSocket(headers, connection, protocol), protocol.includes("base64"), session)
  const readers = ports.map(() => new ChannelReader(socket))
  socket.receive(({ channel, payload }) => {
    if (channel % 2 === 0) readers[channel / 2]?.receive(payload)
  })
  const forwarded = ports.map((port, index) => {
    const [to, errors] = [channelWriter(socket, index * 2), channelWriter(socket, index * 2 + 1)]
    const name = Buffer.alloc(2)
    name.writeUInt16LE(port)
    for (const one of [to, errors]) one.write(name)
    return forwardPort({ from: readers[index]!, to, errors }, port, pod)
  })
  await Promise.all(forwarded)
  socket.close()
}
