/** Bytes of one block. */
const blockSize = 16 * 1024
/** Bytes of a block that has one byte. */
const minSize = 64

/**
 * Small pieces that wait behind others, in one block: kept by itself each byte takes two hundred. Invariant: at most 16 KiB wait, in the
 * order in which they came, and the block is less than twice as long (64 bytes at least).
 */
export class InputBlock {
  #block = Buffer.alloc(0)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** Copies a piece behind the others; false where it has no room, and what waits is to be taken first. */
  add(piece: Buffer): boolean {
    const length = this.#length + piece.length
    if (length > blockSize) return false
    if (length > this.#block.length) {
      const larger = Buffer.allocUnsafeSlow(Math.min(blockSize, Math.max(minSize, 2 * length)))
      this.#block.copy(larger, 0, 0, this.#length)
      this.#block = larger
    }
    piece.copy(this.#block, this.#length)
    this.#length = length
    return true
  }

  /** Returns what waits, and begins another block; undefined where nothing does. */
  take(): Buffer | undefined {
    if (this.#length === 0) return undefined
    const taken = this.#block.subarray(0, this.#length)
    this.#block = Buffer.alloc(0)
    this.#length = 0
    return taken
  }
}
