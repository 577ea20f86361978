// The wire format below the message level: varints, lengths, fixed numbers, skipping.
import type { RecentStrings } from "./recent-strings.ts"
import { readUtf8 } from "./utf8.ts"

export const Wire = { varint: 0, fixed64: 1, bytes: 2, startGroup: 3, endGroup: 4, fixed32: 5 } as const

/** What is wrong and where; the decoder adds which message and field it was reading. */
export class WireFault extends Error {
  override readonly name = "WireFault"
  readonly offset: number

  constructor(offset: number, rule: string) {
    super(rule)
    this.offset = offset
  }
}

/**
 * Reads forward through one buffer.
 * Invariant: `position <= end <= bytes.length`, where `end` is where the message being read ends. No read passes `end`.
 */
export class WireReader {
  readonly bytes: Uint8Array
  position = 0
  end: number
  /** The halves of the last varint, for the types that need all 64 bits. */
  #low = 0
  #high = 0
  readonly #strings: RecentStrings | undefined

  constructor(bytes: Uint8Array, strings?: RecentStrings) {
    this.bytes = bytes
    this.end = bytes.length
    this.#strings = strings
  }

  /** A field's number and wire type: `number << 3 | wireType`. */
  tag(): number {
    const start = this.position
    const tag = this.uint32()
    if (this.#highSince(start) !== 0) throw new WireFault(start, "a field number is at most 536870911")
    if (tag < 8) throw new WireFault(start, "a field number is at least 1")
    return tag
  }

  /** The low 32 bits of a varint. */
  uint32(): number {
    const position = this.position
    if (position < this.end) {
      const byte = this.bytes[position] as number
      if (byte < 0x80) {
        this.position = position + 1
        return byte
      }
    }
    this.#varint()
    return this.#low
  }

  int32(): number {
    return this.uint32() | 0
  }

  /** A bigint if and only if it is not a safe integer. */
  int64(): number | bigint {
    this.#varint()
    const value = (this.#high | 0) * 4294967296 + this.#low
    return Number.isSafeInteger(value) ? value : this.#wide()
  }

  bigint64(): bigint {
    this.#varint()
    return this.#wide()
  }

  bool(): boolean {
    this.#varint()
    return this.#low !== 0 || this.#high !== 0
  }

  double(): number {
    const at = this.#take(8)
    return new DataView(this.bytes.buffer, this.bytes.byteOffset + at, 8).getFloat64(0, true)
  }

  /** Reads a length and returns where the value that it announces ends; `position` is then at its first byte. */
  lengthEnd(): number {
    const start = this.position
    const length = this.uint32()
    const end = this.position + length
    if (end > this.end || this.#highSince(start) !== 0) {
      throw new WireFault(
        start,
        `a length of ${this.#highSince(start) * 4294967296 + length} passes the end of its message, ${this.end - this.position} bytes ahead`,
      )
    }
    return end
  }

  string(): string {
    const end = this.lengthEnd()
    const start = this.position
    this.position = end
    return this.#strings === undefined ? readUtf8(this.bytes, start, end) : this.#strings.read(this.bytes, start, end)
  }

  /** A view, not a copy. */
  view(): Uint8Array {
    const end = this.lengthEnd()
    const start = this.position
    this.position = end
    return this.bytes.subarray(start, end)
  }

  /** Narrows `end` to the message that starts here; hand what it returns to `leave`. */
  enter(): number {
    const outer = this.end
    this.end = this.lengthEnd()
    return outer
  }

  leave(outer: number): void {
    this.position = this.end
    this.end = outer
  }

  /**
   * Skips an unknown field: newer clients send fields that this version does not have.
   * Numbers up to `known` are known, so that the field is here only because its wire type is wrong.
   */
  skip(tag: number, known = 0): void {
    if (tag >>> 3 <= known) throw new WireFault(this.position, `field ${tag >>> 3} cannot have wire type ${tag & 7}`)
    switch (tag & 7) {
      case Wire.varint:
        this.#varint()
        return
      case Wire.fixed64:
        this.#take(8)
        return
      case Wire.bytes:
        this.position = this.lengthEnd()
        return
      case Wire.fixed32:
        this.#take(4)
        return
      case Wire.startGroup:
      case Wire.endGroup:
        throw new WireFault(this.position, `field ${tag >>> 3} is a group; groups are not used by Kubernetes`)
      default:
        throw new WireFault(this.position, `field ${tag >>> 3} has wire type ${tag & 7}; there are 0, 1, 2 and 5`)
    }
  }

  /** All 64 bits of the last varint. */
  #wide(): bigint {
    return (BigInt(this.#high | 0) << 32n) | BigInt(this.#low)
  }

  /** The high word of the varint that began at `start`: a varint of one byte does not set it. */
  #highSince(start: number): number {
    return this.position - start > 1 ? this.#high : 0
  }

  #take(count: number): number {
    const at = this.position
    if (at + count > this.end) throw new WireFault(at, `${count} bytes expected, ${this.end - at} left in the message`)
    this.position = at + count
    return at
  }

  /** 7 bits a byte, lowest first. Bytes 0–3 and the low half of byte 4 make the low word, the rest the high one; bits beyond 64 are dropped. */
  #varint(): void {
    const start = this.position
    let low = 0
    let high = 0
    for (let index = 0; index < 10; index++) {
      if (start + index >= this.end) throw new WireFault(start, "a varint ends before its message does")
      const byte = this.bytes[start + index] as number
      const bits = byte & 0x7f
      if (index < 4) low |= bits << (7 * index)
      else if (index === 4) {
        low |= bits << 28
        high = bits >>> 4
      } else high |= bits << (7 * index - 32)
      if (byte < 0x80) {
        this.position = start + index + 1
        this.#low = low >>> 0
        this.#high = high >>> 0
        return
      }
    }
    throw new WireFault(start, "a varint has at most 10 bytes")
  }
}
