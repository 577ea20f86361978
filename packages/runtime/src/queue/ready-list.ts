/** What can stand in a ReadyList: it carries its own links, so that taking it out of the middle costs nothing. */
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

/** So many empty lines are kept: priorities come back, and making a line anew for each key would cost more than the key. */
const keptLines = 16

/**
 * Entries by priority, highest first, each priority in order of arrival.
 * Not a Set per priority: V8 finds the first key of a set by walking over all that were deleted before it, and 100,000 keys would take minutes.
 *
 * Always true between calls: lines are sorted by falling priority, one per priority; an entry stands in the line of its own priority, once;
 * the links of an entry that is not in the list are undefined.
 */
export class ReadyList<E extends Linked<E>> {
  #lines: Line<E>[] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  push(entry: E): void {
    const line = this.#lineOf(entry.priority)
    entry.before = line.last
    if (line.last === undefined) line.first = entry
    else line.last.after = entry
    line.last = entry
    this.#size++
  }

  /** The entry must be in the list, under the priority it was pushed with. */
  remove(entry: E): void {
    const line = this.#lineOf(entry.priority)
    if (entry.before === undefined) line.first = entry.after
    else entry.before.after = entry.after
    if (entry.after === undefined) line.last = entry.before
    else entry.after.before = entry.before
    entry.before = undefined
    entry.after = undefined
    this.#size--
  }

  shift(): E | undefined {
    if (this.#size === 0) return undefined
    for (const { first } of this.#lines) {
      if (first === undefined) continue
      this.remove(first)
      return first
    }
    return undefined
  }

  #lineOf(priority: number): Line<E> {
    for (const line of this.#lines) if (line.priority === priority) return line
    const made: Line<E> = { priority, first: undefined, last: undefined }
    const kept = this.#lines.length < keptLines ? this.#lines : this.#lines.filter((line) => line.first !== undefined)
    this.#lines = [...kept, made].sort((a, b) => b.priority - a.priority)
    return made
  }
}
