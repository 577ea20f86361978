/** An element of a ReadyList: it carries its own links, so that removal from the middle is constant time. */
export interface Linked<E> {
  priority: number
  before: E | undefined
  after: E | undefined
}

interface Line<E> {
  readonly priority: number
  first: E | undefined
  last: E | undefined
}

/** Empty lines that may be kept: priorities recur, and creating a line for each key would cost more than the key. */
const maxEmptyLines = 16

/**
 * Entries by priority, highest first, each priority in order of arrival.
 * Not a Set per priority: V8 finds the first key of a set by walking over all that were deleted before it, and 100,000 keys would take minutes.
 *
 * Invariant: there is one line per priority, in #byPriority and in #heap, of which the first has the highest priority; an entry is
 * in the line of its own priority, once; the links of an entry that is not in the list are undefined; #empty lines have no entries, and they
 * are no more than the others and 16.
 */
export class ReadyList<E extends Linked<E>> {
  readonly #byPriority = new Map<number, Line<E>>()
  /** A heap: the line at `at` has no lower priority than those at 2 × at + 1 and 2 × at + 2. */
  #heap: Line<E>[] = []
  #empty = 0
  #size = 0

  get size(): number {
    return this.#size
  }

  /** Number of priorities that have a line. */
  get lines(): number {
    return this.#heap.length
  }

  push(entry: E): void {
    const line = this.#byPriority.get(entry.priority) ?? this.#make(entry.priority)
    entry.before = line.last
    if (line.last === undefined) {
      line.first = entry
      this.#empty--
    } else line.last.after = entry
    line.last = entry
    this.#size++
  }

  /** The entry must be in the list, under the priority it was pushed with. */
  remove(entry: E): void {
    const line = this.#byPriority.get(entry.priority)!
    if (entry.before === undefined) line.first = entry.after
    else entry.before.after = entry.after
    if (entry.after === undefined) line.last = entry.before
    else entry.after.before = entry.before
    entry.before = undefined
    entry.after = undefined
    this.#size--
    if (line.first === undefined) this.#empty++
    if (this.#empty > maxEmptyLines + this.#heap.length / 2) this.#dropEmpty()
  }

  shift(): E | undefined {
    if (this.#size === 0) return undefined
    while (this.#heap[0]?.first === undefined) this.#dropHighest()
    const { first } = this.#heap[0]
    this.remove(first)
    return first
  }

  #make(priority: number): Line<E> {
    const made: Line<E> = { priority, first: undefined, last: undefined }
    this.#byPriority.set(priority, made)
    this.#empty++
    this.#rise(made, this.#heap.length)
    return made
  }

  #dropHighest(): void {
    const [highest] = this.#heap
    const last = this.#heap.pop()
    if (highest === undefined || last === undefined) return
    this.#byPriority.delete(highest.priority)
    this.#empty--
    if (this.#heap.length > 0) this.#sink(last)
  }

  #dropEmpty(): void {
    for (const { priority, first } of this.#heap) if (first === undefined) this.#byPriority.delete(priority)
    // What is sorted is a heap.
    this.#heap = [...this.#byPriority.values()].sort((a, b) => b.priority - a.priority)
    this.#empty = 0
  }

  /** Puts a line where it belongs, from a free place upwards. */
  #rise(line: Line<E>, from: number): void {
    let at = from
    for (let above = (at - 1) >> 1; at > 0 && this.#heap[above]!.priority < line.priority; above = (at - 1) >> 1) {
      this.#heap[at] = this.#heap[above]!
      at = above
    }
    this.#heap[at] = line
  }

  /** Puts a line where it belongs, from the top downwards. */
  #sink(line: Line<E>): void {
    const heap = this.#heap
    let at = 0
    for (let below = 1; below < heap.length; below = 2 * at + 1) {
      if (below + 1 < heap.length && heap[below + 1]!.priority > heap[below]!.priority) below++
      if (heap[below]!.priority <= line.priority) break
      heap[at] = heap[below]!
      at = below
    }
    heap[at] = line
  }
}
