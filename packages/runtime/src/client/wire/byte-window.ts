/**
 * Unconsumed bytes of several chunks in one piece, for a reader that needs more than one chunk.
 * Consumed bytes make room for new ones; the capacity is at most twice the maximum that waited at once.
 *
 * Invariant: 0 <= from <= to <= bytes.length, and the unconsumed bytes are between the two.
 */
export class ByteWindow {
  #bytes: Buffer
  #from = 0
  #to = 0

  constructor(room: number) {
    this.#bytes = Buffer.allocUnsafeSlow(room)
  }

  /** The unconsumed bytes, valid until the next push. */
  get bytes(): Buffer {
    return this.#bytes.subarray(this.#from, this.#to)
  }

  /** Number of unconsumed bytes. */
  get length(): number {
    return this.#to - this.#from
  }

  push(chunk: Uint8Array): void {
    if (this.#to + chunk.length > this.#bytes.length) this.#makeRoom(chunk.length)
    this.#bytes.set(chunk, this.#to)
    this.#to += chunk.length
  }

  /** Consumes bytes. */
  use(length: number): void {
    this.#from += length
  }

  #makeRoom(length: number): void {
    const { bytes } = this
    const needed = bytes.length + length
    const room = needed > this.#bytes.length ? Buffer.allocUnsafeSlow(2 * needed) : this.#bytes
    room.set(bytes)
    this.#bytes = room
    this.#from = 0
    this.#to = bytes.length
  }
}
