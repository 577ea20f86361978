import type { Duplex } from "node:stream"
import type { HeaderMap } from "@pilothouse/seams"
import type { CommandClient, TerminalSize, WantedStreams } from "../session/command-client.ts"
import { terminalSizeIn } from "../session/command-client.ts"
import { commandError, commandStatus } from "../session/command-status.ts"
import type { StreamSession } from "../session/sessions.ts"
import { acceptWebSocket } from "./accept.ts"
import { ChannelSocket } from "./channel-socket.ts"
import { ChannelReader, channelWriter } from "./channel-streams.ts"

const [stdinChannel, stdoutChannel, stderrChannel, errorChannel, resizeChannel, closeChannel] = [0, 1, 2, 3, 4, 255]

/** Sub-protocols of exec and attach. Without one a client has the first, in binary. */
export const commandProtocols: ReadonlySet<string> = new Set([
  "v5.channel.k8s.io",
  "v4.channel.k8s.io",
  "v4.base64.channel.k8s.io",
  "channel.k8s.io",
  "base64.channel.k8s.io",
])

interface AcceptedRequest {
  readonly headers: HeaderMap
  readonly connection: Duplex
  readonly session: StreamSession
}

/** Accepts a client of exec or attach that speaks channels of a WebSocket. */
export async function webSocketClient(
  { headers, connection, session }: AcceptedRequest,
  protocol: string,
  wanted: WantedStreams,
): Promise<CommandClient> {
  const socket = new ChannelSocket(await acceptWebSocket(headers, connection, protocol), protocol.includes("base64"), session)
  const closed = new AbortController()
  socket.onClose(() => closed.abort())
  const stdin = wanted.stdin ? new ChannelReader(socket) : undefined
  let resized: (size: TerminalSize) => void = () => undefined
  let lastSize: TerminalSize | undefined
  socket.receive(({ channel, payload }) => {
    if (channel === stdinChannel) stdin?.receive(payload)
    // Of protocol 5: nothing more comes on a channel.
    else if (channel === closeChannel && protocol.startsWith("v5.") && payload[0] === stdinChannel) stdin?.end()
    else if (channel === resizeChannel) {
      const size = terminalSizeIn(payload.toString())
      if (size !== undefined) resized((lastSize = size))
    }
  })
  // Tells the client that it is connected.
  socket.send(wanted.stdout ? stdoutChannel : wanted.stderr ? stderrChannel : errorChannel, Buffer.alloc(0))
  const hasStatus = /^v[45]\./.test(protocol)
  return {
    stdin,
    stdout: wanted.stdout ? channelWriter(socket, stdoutChannel) : undefined,
    stderr: wanted.stderr ? channelWriter(socket, stderrChannel) : undefined,
    onResize(listener) {
      resized = listener
      if (lastSize !== undefined) listener(lastSize)
    },
    finish(outcome) {
      const text = hasStatus ? JSON.stringify(commandStatus(outcome)) : commandError(outcome)
      return new Promise((resolve) => {
        const end = () => {
          socket.close()
          resolve()
        }
        if (text === undefined) end()
        else socket.send(errorChannel, Buffer.from(text), end)
      })
    },
    closed: closed.signal,
  }
}
