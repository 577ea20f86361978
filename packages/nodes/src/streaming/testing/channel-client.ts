import { WebSocket } from "ws"

/** A client of channels that keeps what it is sent. */
export interface ChannelClient {
  readonly socket: WebSocket
  /** What has come on a channel, as text. */
  text(channel: number): string
  /** How many bytes have come on a channel. */
  size(channel: number): number
  send(channel: number, text: string | Buffer): void
  /** Resolves with the code of its end. */
  readonly closed: Promise<number>
}

/** Connects; rejects with the answer of a server that refuses. */
export function connectChannels(url: string, ...protocols: readonly string[]): Promise<ChannelClient> {
  const socket = new WebSocket(url, [...protocols])
  const received = new Map<number, Buffer[]>()
  socket.on("message", (data: Buffer) => {
    const channel = data[0]!
    received.set(channel, [...(received.get(channel) ?? []), data.subarray(1)])
  })
  const closed = new Promise<number>((resolve) => socket.once("close", resolve))
  const client = {
    socket,
    size: (channel: number) => (received.get(channel) ?? []).reduce((sum, { length }) => sum + length, 0),
    text: (channel: number) => Buffer.concat(received.get(channel) ?? []).toString(),
    send: (channel: number, text: string | Buffer) => socket.send(Buffer.concat([Buffer.of(channel), Buffer.from(text)])),
    closed,
  }
  return new Promise((resolve, reject) => {
    socket.once("open", () => resolve(client))
    socket.once("unexpected-response", (_request, response) => {
      let body = ""
      response.on("data", (chunk: Buffer) => (body += chunk.toString()))
      response.on("end", () => reject(new Error(`${response.statusCode} ${body}`)))
    })
    socket.on("error", reject)
  })
}
