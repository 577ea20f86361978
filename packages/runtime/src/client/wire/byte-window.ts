/**
 * Bytes that came in chunks and were not used up yet, in one piece: what a reader has to see that looks over the borders of chunks.
 * What is used up makes room for what comes; there is never more room than twice the most that waited at once.
 *
 * Always true between calls: 0 <= from <= to <= bytes.length, and what waits stands between the two.
 */
export class ByteWindow {
  #bytes: Buffer
  #from = 0
  #to = 0

  constructor(room: number) {
    this.#bytes = Buffer.allocUnsafeSlow(room)
  }

  /** What waits, until the next push. */
  get bytes(): Buffer {
    return this.#bytes.subarray(this.#from, this.#to)
  }

  /** How many wait. */
  get length(): number {
    return this.#to - this.#from
  }

  push(chunk: Uint8Array): void {
    if (this.#to + chunk.length > this.#bytes.length) this.#makeRoom(chunk.length)
    this.#bytes.set(chunk, this.#to)
    this.#to += chunk.length
  }

  /** So many of the bytes are used up. */
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
