import { PilothouseError } from "@pilothouse/seams"

const lengthBytes = 4

/**
 * Collects chunks until they contain a complete frame: an object in many chunks is concatenated once.
 *
 * Invariant: #chunks together are less than one frame, and #length is known as soon as its bytes are received.
 */
export class FrameCollector {
  readonly #maximum: number
  #chunks: Uint8Array[] = []
  #size = 0
  /** Length of the first frame, without the length field. */
  #length: number | undefined

  constructor(maximum: number) {
    this.#maximum = maximum
  }

  /** Returns bytes that begin with a complete frame; undefined while there is none. */
  push(chunk: Uint8Array): Uint8Array | undefined {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    this.#length ??= this.#firstLength()
    if (this.#length === undefined || this.#size < lengthBytes + this.#length) return undefined
    return this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks)
  }

  /** Stores the rest of the returned bytes. */
  keep(rest: Uint8Array): void {
    this.#chunks = rest.length === 0 ? [] : [rest]
    this.#size = rest.length
    this.#length = this.#firstLength()
  }

  #firstLength(): number | undefined {
    if (this.#size < lengthBytes) return undefined
    const [first] = this.#chunks
    const head = first !== undefined && first.length >= lengthBytes ? first : Buffer.concat(this.#chunks)
    const length = new DataView(head.buffer, head.byteOffset).getUint32(0)
    if (length > this.#maximum)
      throw new PilothouseError("PROTOCOL", `expected a watch frame of at most ${this.#maximum} bytes, found one of ${length}`)
    return length
  }
}
