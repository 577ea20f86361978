import { varintLength, writeVarint } from "./varint.ts"

const encoder = new TextEncoder()

/** Characters up to which a for loop is faster than the encoder. */
const shortText = 64

/**
 * Writes a message from its end to its beginning, so that the length of what lies inside is known when it is to be written.
 * Always true: what was written is `#bytes` from `#start` on.
 */
export class WireWriter {
  #bytes = new Uint8Array(1024)
  #start = 1024

  /** How much is written: take it before the contents of a message, hand it to `length` after them. */
  get size(): number {
    return this.#bytes.length - this.#start
  }

  finish(): Uint8Array {
    return this.#bytes.slice(this.#start)
  }

  tag(number: number, wire: number): void {
    this.varint(number * 8 + wire)
  }

  /** The length of all that was written since `size` was `before`. */
  length(before: number): void {
    this.varint(this.size - before)
  }

  /** A whole number of at most 53 bits, not negative. */
  varint(value: number): void {
    // In two steps: where there is no room, reserving replaces the bytes.
    const at = this.#reserve(varintLength(value))
    writeVarint(this.#bytes, at, value)
  }

  /** Any 64-bit integer; negative ones take ten bytes. */
  int64(value: bigint): void {
    const groups: number[] = []
    let rest = BigInt.asUintN(64, value)
    for (; rest >= 128n; rest >>= 7n) groups.push(Number(rest & 127n) | 0x80)
    groups.push(Number(rest))
    this.raw(Uint8Array.from(groups))
  }

  double(value: number): void {
    const bytes = new Uint8Array(8)
    new DataView(bytes.buffer).setFloat64(0, value, true)
    this.raw(bytes)
  }

  /** Text with its length. */
  string(text: string): void {
    if (!this.#ascii(text)) this.bytes(encoder.encode(text))
  }

  /** Most texts are short and have one byte for each character: false, and nothing is written, for the others. */
  #ascii(text: string): boolean {
    const { length } = text
    if (length > shortText) return false
    const start = this.#reserve(length)
    for (let at = 0; at < length; at++) {
      const code = text.charCodeAt(at)
      if (code > 0x7f) {
        this.#start += length
        return false
      }
      this.#bytes[start + at] = code
    }
    this.varint(length)
    return true
  }

  /** Bytes with their length. */
  bytes(bytes: Uint8Array): void {
    this.raw(bytes)
    this.varint(bytes.length)
  }

  raw(bytes: ArrayLike<number>): void {
    // In two steps: where there is no room, reserving replaces the bytes.
    const at = this.#reserve(bytes.length)
    this.#bytes.set(bytes, at)
  }

  /** Where so many bytes are to be written. */
  #reserve(length: number): number {
    if (this.#start < length) this.#grow(length)
    this.#start -= length
    return this.#start
  }

  #grow(needed: number): void {
    const bigger = new Uint8Array(this.#bytes.length * 2 + needed)
    bigger.set(this.#bytes, bigger.length - this.#bytes.length)
    this.#start += bigger.length - this.#bytes.length
    this.#bytes = bigger
  }
}
