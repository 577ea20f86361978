import { randomBytes } from "node:crypto"
import type { TLSSocket } from "node:tls"
import { flood } from "./http2-frames.ts"
import type { Attempt } from "./row.ts"
import { within } from "./waiting.ts"

/** What a frame says beside its payload; the defaults are those of a good client. */
export interface FrameOptions {
  readonly opcode?: number
  readonly fin?: boolean
  readonly masked?: boolean
  /** The length that it claims. */
  readonly length?: number
  /** Reserved bits. */
  readonly reserved?: number
}

/** A frame of a WebSocket, masked with zeros. */
export function webSocketFrame(payload: Buffer, options: FrameOptions = {}): Buffer {
  const { opcode = 2, fin = true, masked = true, length = payload.length, reserved = 0 } = options
  const first = (fin ? 0x80 : 0) | (reserved << 4) | opcode
  const lengths = lengthBytes(length)
  if (masked) lengths[0] = lengths[0]! | 0x80
  return Buffer.concat([Buffer.of(first), lengths, Buffer.alloc(masked ? 4 : 0), payload])
}

function lengthBytes(length: number): Buffer {
  if (length < 126) return Buffer.of(length)
  const isShort = length < 0x1_0000
  const bytes = Buffer.alloc(isShort ? 3 : 9)
  bytes[0] = isShort ? 126 : 127
  if (isShort) bytes.writeUInt16BE(length, 1)
  else bytes.writeBigUInt64BE(BigInt(length), 1)
  return bytes
}

/** A connection that was upgraded, whatever is sent on it then. Undefined where the server refused. */
export async function upgraded(
  { anonymous }: Pick<Attempt, "anonymous">,
  path: string,
  { token, protocol, upgrade = "websocket" }: { readonly token: string; readonly protocol: string; readonly upgrade?: string },
): Promise<TLSSocket | undefined> {
  const socket = await anonymous.tls("http/1.1")
  const name = upgrade === "websocket" ? "Sec-WebSocket-Protocol" : "X-Stream-Protocol-Version"
  const key = `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString("base64")}\r\n`
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nConnection: Upgrade\r\nUpgrade: ${upgrade}\r\n`
  const method = upgrade === "websocket" ? head.replace("POST", "GET") : head
  const answered = new Promise<string>((resolve) => {
    socket.once("data", (chunk: Buffer) => resolve(chunk.toString("latin1")))
    socket.once("close", () => resolve(""))
  })
  await flood(socket, Buffer.from(`${method}${upgrade === "websocket" ? key : ""}${name}: ${protocol}\r\n\r\n`))
  const answer = (await within(answered, 10_000)) ?? ""
  return answer.startsWith("HTTP/1.1 101") ? socket : undefined
}
