/** Past this a chunk is halved. A splice moves at most this many pointers, and a million keys are two thousand chunks. */
const chunkLimit = 512

/**
 * A set of strings in order. Inserting costs two binary searches and one short splice, however many there are.
 *
 * Invariant: chunks are not empty, each is sorted, and the last key of one is before the first of the next.
 */
export class SortedKeys {
  readonly #chunks: string[][] = []

  /** The caller knows that the key is new. */
  add(key: string): void {
    const at = Math.min(this.#chunkOf(key), this.#chunks.length - 1)
    const chunk = this.#chunks[at]
    if (chunk === undefined) {
      this.#chunks.push([key])
      return
    }
    chunk.splice(firstAtOrAfter(chunk, key), 0, key)
    if (chunk.length > chunkLimit) this.#chunks.splice(at + 1, 0, chunk.splice(chunkLimit / 2))
  }

  delete(key: string): void {
    const at = this.#chunkOf(key)
    const chunk = this.#chunks[at]
    if (chunk === undefined) return
    const index = firstAtOrAfter(chunk, key)
    if (chunk[index] !== key) return
    chunk.splice(index, 1)
    if (chunk.length === 0) this.#chunks.splice(at, 1)
  }

  /** Those that start with the prefix, from `from` on. */
  *range(prefix: string, from: string = prefix): Generator<string> {
    const start = from > prefix ? from : prefix
    for (let at = this.#chunkOf(start); at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at]!
      for (let index = firstAtOrAfter(chunk, start); index < chunk.length; index++) {
        const key = chunk[index]!
        if (!key.startsWith(prefix)) return
        yield key
      }
    }
  }

  /** How many start with the prefix and come after the key; without going through them, chunk by chunk. */
  countAfter(prefix: string, after: string): number {
    const start = after > prefix ? after : prefix
    let count = 0
    for (let at = this.#chunkOf(start); at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at]!
      const from = firstAtOrAfter(chunk, start)
      const isWhole = chunk.at(-1)!.startsWith(prefix)
      const to = isWhole ? chunk.length : firstBeyond(chunk, prefix, from)
      count += to - from - (to > from && chunk[from] === after ? 1 : 0)
      if (!isWhole) break
    }
    return count
  }

  /** The first chunk whose last key is not before this one. */
  #chunkOf(key: string): number {
    let [low, high] = [0, this.#chunks.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#chunks[middle]!.at(-1)! < key) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** The index of the first key from `from` on that does not start with the prefix; keys with it stand together. */
function firstBeyond(sorted: readonly string[], prefix: string, from: number): number {
  let [low, high] = [from, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]!.startsWith(prefix)) low = middle + 1
    else high = middle
  }
  return low
}

function firstAtOrAfter(sorted: readonly string[], key: string): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]! < key) low = middle + 1
    else high = middle
  }
  return low
}
