import { once } from "node:events"
import type { TLSSocket } from "node:tls"
import { within } from "./waiting.ts"

export const frameTypes = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goaway: 7, continuation: 9 } as const
export const flags = { endStream: 1, endHeaders: 4 } as const

export interface Frame {
  readonly type: number
  readonly flags?: number
  readonly stream?: number
  readonly payload?: Buffer
}

/** RFC 9113, section 4.1. */
export function frame({ type, flags: bits = 0, stream = 0, payload = Buffer.alloc(0) }: Frame): Buffer {
  const head = Buffer.alloc(9)
  head.writeUIntBE(payload.length, 0, 3)
  head[3] = type
  head[4] = bits
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** What every connection of HTTP/2 begins with. */
export const preface = Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame({ type: frameTypes.settings })])

/** Headers of a request without Huffman codes: RFC 7541, appendix A has the numbers. */
export function requestHeaders(method: "GET" | "POST", path: string): Buffer {
  const [methodIndex, schemeIndex, pathName, authorityName] = [method === "GET" ? 0x82 : 0x83, 0x87, 0x04, 0x01]
  const text = (value: string) => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)])
  return Buffer.concat([Buffer.from([methodIndex, schemeIndex, pathName]), text(path), Buffer.from([authorityName]), text("x")])
}

/** A header field with a name and a value of its own. */
export function headerField(name: string, value: string): Buffer {
  return Buffer.concat([Buffer.from([0]), integer(name.length), Buffer.from(name), integer(value.length), Buffer.from(value)])
}

/** RFC 7541, section 5.1, with a prefix of 7 bits. */
function integer(value: number): Buffer {
  if (value < 127) return Buffer.from([value])
  const bytes = [127]
  let rest = value - 127
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128)
  return Buffer.from([...bytes, rest])
}

/** Milliseconds that the server may leave bytes unread before the attacker gives up. */
const unreadTime = 5000

/** Sends as fast as the server reads. False once the connection is closed, or the server reads no more. */
export async function flood(socket: TLSSocket, bytes: Buffer): Promise<boolean> {
  if (socket.destroyed || !socket.writable) return false
  if (socket.write(bytes)) return true
  const controller = new AbortController()
  const { signal } = controller
  const drained = once(socket, "drain", { signal }).then(() => true)
  const closed = once(socket, "close", { signal }).then(() => false)
  const result = await within(
    Promise.race([drained, closed]).catch(() => false),
    unreadTime,
  )
  controller.abort()
  return result ?? false
}

/** Counts what the server sends, by type of frame: {headers: 3, goaway: 1}. */
export function countFrames(socket: TLSSocket): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {}
  let rest = Buffer.alloc(0)
  socket.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 9 && rest.length >= 9 + rest.readUIntBE(0, 3)) {
      const name = Object.entries(frameTypes).find(([, type]) => type === rest[3])?.[0] ?? "other"
      counts[name] = (counts[name] ?? 0) + 1
      rest = rest.subarray(9 + rest.readUIntBE(0, 3))
    }
  })
  return counts
}
