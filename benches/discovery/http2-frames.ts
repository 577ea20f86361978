// As much of HTTP/2 as one gRPC stream needs, on a bare socket: a whole client would cost the two cores more than the server that is measured.

export const frameType = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7, windowUpdate: 8 } as const
export const flag = { endStream: 1, ack: 1, endHeaders: 4 } as const
const headLength = 9

/** Receives frames as they come: data in the pieces that the socket gives, everything else whole. */
export interface FrameListener {
  data(bytes: Buffer): void
  frame(type: number, flags: number, payload: Buffer): void
}

export function frame(type: number, flags: number, stream: number, payload: Uint8Array): Buffer {
  const bytes = Buffer.allocUnsafe(headLength + payload.length)
  bytes.writeUIntBE(payload.length, 0, 3)
  bytes[3] = type
  bytes[4] = flags
  bytes.writeUInt32BE(stream, 5)
  bytes.set(payload, headLength)
  return bytes
}

/** Cuts what a socket gives into frames. Keeps nothing of a chunk: the next one may be in the same memory. */
export class FrameReader {
  readonly #listener: FrameListener
  readonly #head = Buffer.alloc(headLength)
  #have = 0
  #left = 0
  #parts: Buffer[] = []

  constructor(listener: FrameListener) {
    this.#listener = listener
  }

  take(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) at += this.#have < headLength ? this.#takeHead(chunk, at) : this.#takePayload(chunk, at)
  }

  #takeHead(chunk: Buffer, at: number): number {
    const taken = chunk.copy(this.#head, this.#have, at, at + headLength - this.#have)
    this.#have += taken
    if (this.#have < headLength) return taken
    this.#left = this.#head.readUIntBE(0, 3)
    if (this.#left === 0) this.#end()
    return taken
  }

  #takePayload(chunk: Buffer, at: number): number {
    const piece = chunk.subarray(at, at + this.#left)
    if (this.#head[3] === frameType.data) this.#listener.data(piece)
    else this.#parts.push(Buffer.from(piece))
    this.#left -= piece.length
    if (this.#left === 0) this.#end()
    return piece.length
  }

  #end(): void {
    const payload = Buffer.concat(this.#parts.splice(0))
    this.#have = 0
    this.#listener.frame(this.#head[3]!, this.#head[4]!, payload)
  }
}
