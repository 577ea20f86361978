import { PilothouseError } from "@pilothouse/seams"

const lengthBytes = 4

/**
 * Collects chunks until there is a whole frame in them: an object in many chunks is put together once.
 *
 * Always true between calls: #chunks together are less than one frame, and #length is known as soon as its bytes are there.
 */
export class FrameCollector {
  readonly #maximum: number
  #chunks: Uint8Array[] = []
  #size = 0
  /** Of the first frame, without its own bytes. */
  #length: number | undefined

  constructor(maximum: number) {
    this.#maximum = maximum
  }

  /** Bytes that begin with a whole frame; undefined while there is none. */
  push(chunk: Uint8Array): Uint8Array | undefined {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    this.#length ??= this.#firstLength()
    if (this.#length === undefined || this.#size < lengthBytes + this.#length) return undefined
    return this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks)
  }

  /** What was left of the bytes that it gave. */
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
