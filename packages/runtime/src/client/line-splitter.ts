const newline = 0x0a

/**
 * Splits at \n only: U+2028 and U+2029 are data inside a JSON string, and node:readline would cut there.
 * Works on bytes, so a character cut in two is whole again before it is decoded. Only a line that crosses the border of two chunks is put
 * together, once, however many chunks it is in.
 * Always true between calls: the rest holds no newline.
 */
export class LineSplitter {
  #rest: Uint8Array[] = []

  /** The lines that are whole now, not decoded: parts of the chunk, so they are to be read before it is used for something else. */
  push(chunk: Uint8Array): readonly Buffer[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    const first = bytes.indexOf(newline)
    if (first < 0) {
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
    // A copy: the rest of a chunk would keep all of it.
    this.#rest = from === bytes.length ? [] : [Buffer.from(bytes.subarray(from))]
    return lines
  }
}
