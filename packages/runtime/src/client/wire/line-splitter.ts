import { PilothouseError } from "@pilothouse/seams"

// A file of its own: its Buffers must not appear in the types that the package publishes.
const newline = 0x0a

/** Bytes of one event; an API server stores no object of that size. */
const maxLine = 16 * 1024 * 1024

/**
 * Splits at \n only: U+2028 and U+2029 are data inside a JSON string, and node:readline would cut there.
 * Works on bytes, so a character in two chunks is complete before it is decoded. Only a line that crosses chunks is
 * concatenated, once, however many chunks it is in.
 * Invariant: the rest holds no newline, and not more than the longest line.
 */
export class LineSplitter {
  #rest: Uint8Array[] = []
  #restLength = 0

  /** Returns the complete lines, not decoded. They are views of the chunk and must be read before it is reused. */
  push(chunk: Uint8Array): readonly Buffer[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    const first = bytes.indexOf(newline)
    if (first < 0) {
      this.#restLength += bytes.length
      if (this.#restLength > maxLine)
        throw new PilothouseError("PROTOCOL", `expected a watch event of at most ${maxLine} bytes, found a line that goes on after them`)
      this.#rest.push(bytes)
      return []
    }
    const crossing = this.#rest.length === 0 ? bytes.subarray(0, first) : Buffer.concat([...this.#rest, bytes.subarray(0, first)])
    const lines = crossing.length === 0 ? [] : [crossing]
    let from = first + 1
    for (let to = bytes.indexOf(newline, from); to >= 0; to = bytes.indexOf(newline, from)) {
      if (to > from) lines.push(bytes.subarray(from, to))
      from = to + 1
    }
    // A copy: a view would keep the whole chunk in memory.
    this.#rest = from === bytes.length ? [] : [Buffer.from(bytes.subarray(from))]
    this.#restLength = bytes.length - from
    return lines
  }
}
