import type { Change, Revision } from "./storage.ts"

/** Bytes that the record of one change takes beside the values that it names. */
const recordSize = 200

/**
 * So many bytes of memory history may hold. Five minutes in which 8,000 pods come up fit into it; then it is cut earlier,
 * and a client that requests an older revision lists again, as after a compaction of etcd.
 */
export const defaultHistoryBytes = 256 * 1024 * 1024

/**
 * The changes behind a revision, in order: watches begin in it, as in the watch cache of kube-apiserver.
 *
 * Invariant: `#sizes` has, for each of `#changes`, the bytes that it alone holds: what it replaced, and the last state of what it deleted.
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

/** Bytes that V8 takes for an object or a list before anything is in it, for a place in one, and for a text before its first letter. */
const [emptySize, slotSize, textSize] = [32, 8, 24]

/** With one such letter every letter of a text takes two bytes. Not asked of short texts: the look would cost more than it is worth. */
const wideLetter = /[^\u0000-\u00ff]/
const shortText = 100

/** Members from which on the size of a frozen object is remembered: another version of the object around it often shares it. */
const manyMembers = 1000
const remembered = new WeakMap<object, number>()
/** Where there is none, none is looked for: that would cost more than most objects take to go through. */
let hasRemembered = false

/** About how many bytes a JSON value takes in memory. What it shares with others counts in full, so two states of one object are less than their sum. */
export function memorySize(value: unknown): number {
  if (typeof value === "string") return textSize + value.length * (value.length > shortText && wideLetter.test(value) ? 2 : 1)
  if (typeof value !== "object" || value === null) return 0
  const known = hasRemembered ? remembered.get(value) : undefined
  if (known !== undefined) return known
  let size = emptySize
  let members = 0
  if (Array.isArray(value)) {
    for (const item of value) size += slotSize + memorySize(item)
    members = value.length
  } else {
    // No list of its values: this is asked of every object that is replaced.
    for (const name in value) {
      size += slotSize + memorySize((value as Readonly<Record<string, unknown>>)[name])
      members++
    }
  }
  if (members >= manyMembers && Object.isFrozen(value)) {
    remembered.set(value, size)
    hasRemembered = true
  }
  return size
}
