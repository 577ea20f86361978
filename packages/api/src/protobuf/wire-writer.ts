const encoder = new TextEncoder()

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
    const groups = [value % 128]
    for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) groups.push(rest % 128)
    this.raw(Uint8Array.from(groups, (group, index) => (index < groups.length - 1 ? group | 0x80 : group)))
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
    this.bytes(encoder.encode(text))
  }

  /** Bytes with their length. */
  bytes(bytes: Uint8Array): void {
    this.raw(bytes)
    this.varint(bytes.length)
  }

  raw(bytes: ArrayLike<number>): void {
    if (this.#start < bytes.length) this.#grow(bytes.length)
    this.#start -= bytes.length
    this.#bytes.set(bytes, this.#start)
  }

  #grow(needed: number): void {
    const bigger = new Uint8Array(this.#bytes.length * 2 + needed)
    bigger.set(this.#bytes, bigger.length - this.#bytes.length)
    this.#start += bigger.length - this.#bytes.length
    this.#bytes = bigger
  }
}
