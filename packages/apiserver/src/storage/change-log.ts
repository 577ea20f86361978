import { memorySize } from "./memory-size.ts"
import type { Change, Revision } from "./storage.ts"

/** Bytes that the record of one change takes beside the values that it names. */
const recordSize = 200

/**
 * So many bytes of memory history may hold. Five minutes in which 8,000 pods come up fit into it; then it is cut earlier,
 * and a client that requests an older revision lists again, as after a compaction of etcd.
 */
export const defaultHistoryBytes = 256 * 1024 * 1024

/**
 * The changes behind a revision, in order.
 *
 * Always true between calls: `#sizes` has, for each of `#changes`, the bytes that it alone holds: what it replaced, and the last state of what it deleted.
 * What is there now is no history. `#bytes` is their sum.
 */
export class ChangeLog {
  readonly #limit: number
  #changes: Change[] = []
  #sizes: number[] = []
  #bytes = 0

  constructor(limit: number = defaultHistoryBytes) {
    this.#limit = limit
  }

  get length(): number {
    return this.#changes.length
  }

  at(index: number): Change {
    return this.#changes[index]!
  }

  push(change: Change): void {
    const { type, value, previous } = change
    const size = recordSize + (previous === undefined ? 0 : memorySize(previous.value)) + (type === "delete" ? memorySize(value) : 0)
    this.#changes.push(change)
    this.#sizes.push(size)
    this.#bytes += size
  }

  /** Where history has to be cut because it holds too much. An eighth more than needed goes, so that this does not come with every change. */
  excess(): Revision | undefined {
    if (this.#bytes <= this.#limit) return undefined
    const goal = this.#limit - this.#limit / 8
    let [last, bytes] = [0, this.#bytes]
    for (; last < this.#sizes.length && bytes > goal; last++) bytes -= this.#sizes[last]!
    return this.#changes[last - 1]!.revision
  }

  /** Forgets the changes up to and including this one. */
  forget(revision: Revision): void {
    const first = this.firstBehind(revision)
    for (let index = 0; index < first; index++) this.#bytes -= this.#sizes[index]!
    this.#changes = this.#changes.slice(first)
    this.#sizes = this.#sizes.slice(first)
  }

  /** The place of the first change behind a revision. Searched, not computed: a crash leaves a gap in the numbers. */
  firstBehind(revision: Revision): number {
    let [low, high] = [0, this.#changes.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#changes[middle]!.revision <= revision) low = middle + 1
      else high = middle
    }
    return low
  }
}
