import { type Log, PilothouseError } from "@pilothouse/seams"
import { ChangeLog } from "./change-log.ts"
import { SortedKeys } from "./sorted-keys.ts"
import type { Change, Forgotten, ListOptions, Page, Revision, Stored } from "./storage.ts"
import { Watchers } from "./watchers.ts"

/** One write that was accepted. */
export interface Accepted {
  readonly stored: Stored
  readonly deletes: boolean
}

/**
 * Objects, their history and who is told of it: what a storage keeps in memory, wherever else it keeps it. What comes in is decided already.
 *
 * Always true between calls: `#keys` holds the keys of `#items`; `#log` holds the changes behind `compacted` up to `revision`, by revision,
 * and no more bytes than it may.
 */
export class State {
  readonly #items = new Map<string, Stored>()
  readonly #keys = new SortedKeys()
  readonly #watchers: Watchers
  readonly #log: ChangeLog
  #revision: Revision = 0
  #compacted: Revision = 0

  constructor(log: Log, historyBytes?: number) {
    this.#watchers = new Watchers(log)
    this.#log = new ChangeLog(historyBytes)
  }

  get revision(): Revision {
    return this.#revision
  }

  get compacted(): Revision {
    return this.#compacted
  }

  get(key: string): Stored | undefined {
    return this.#items.get(key)
  }

  list(prefix: string, { at = this.revision, after = "", limit = Number.POSITIVE_INFINITY }: ListOptions = {}): Page {
    this.#refuseCompacted(at)
    const all = at >= this.revision ? this.#now(prefix, after) : this.#then(prefix, at, after)
    return { revision: Math.min(at, this.revision), ...take(all, limit) }
  }

  watch(prefix: string, since: Revision, sink: (change: Change) => void, forgotten?: Forgotten): Disposable {
    this.#refuseCompacted(since)
    for (let at = this.#log.firstBehind(since); at < this.#log.length; at++) {
      const change = this.#log.at(at)
      if (change.key.startsWith(prefix)) sink(change)
    }
    // From a revision still to come: the changes up to it are not wanted. Begun by another's sink: what it was just shown may still be on its way to the others.
    const shown = Math.max(since, this.#revision)
    const follow = (change: Change) => {
      if (change.revision > shown) sink(change)
    }
    return this.#watchers.add(prefix, follow, forgotten)
  }

  compact(to: Revision): void {
    const until = Math.min(to, this.#revision)
    if (until <= this.#compacted) return
    this.#log.forget(until)
    this.#compacted = until
    this.#watchers.tellForgotten(until)
  }

  /** Begins with what stood at a revision; nothing is known of the time before it. */
  load(items: Iterable<Stored>, revision: Revision): void {
    for (const stored of items) {
      this.#items.set(stored.key, stored)
      this.#keys.add(stored.key)
    }
    this.#revision = revision
    this.#compacted = revision
  }

  /**
   * The writes of one commit. The caller knows that their revisions are higher than every one before. All are in before anybody is told of the first:
   * whoever reads when told sees the whole commit. Where history then holds too much, its beginning goes.
   */
  apply(writes: readonly Accepted[]): void {
    for (const change of writes.map((write) => this.#take(write))) this.#watchers.tell(change)
    const excess = this.#log.excess()
    if (excess !== undefined) this.compact(excess)
  }

  #take({ stored, deletes }: Accepted): Change {
    const { key } = stored
    const previous = this.#items.get(key)
    if (deletes) {
      this.#items.delete(key)
      if (previous !== undefined) this.#keys.delete(key)
    } else {
      this.#items.set(key, stored)
      if (previous === undefined) this.#keys.add(key)
    }
    const change: Change = { type: deletes ? "delete" : "put", ...stored, previous }
    this.#log.push(change)
    this.#revision = stored.revision
    return change
  }

  *#now(prefix: string, after: string): Generator<Stored> {
    for (const key of this.#keys.range(prefix, after)) {
      if (key !== after) yield this.#items.get(key)!
    }
  }

  /** The state at a past revision is the present one with the changes since taken back. */
  *#then(prefix: string, at: Revision, after: string): Generator<Stored> {
    const before = this.#takenBack(prefix, at)
    const keys = new Set(this.#keys.range(prefix, after))
    for (const key of before.keys()) if (key > after) keys.add(key)
    keys.delete(after)
    for (const key of [...keys].sort(byCodeUnits)) {
      const stored = before.has(key) ? before.get(key) : this.#items.get(key)
      if (stored !== undefined) yield stored
    }
  }

  /** What stood at each key that has changed since; undefined where nothing did. */
  #takenBack(prefix: string, at: Revision): Map<string, Stored | undefined> {
    const before = new Map<string, Stored | undefined>()
    const first = this.#log.firstBehind(at)
    for (let index = this.#log.length - 1; index >= first; index--) {
      const { key, previous } = this.#log.at(index)
      if (key.startsWith(prefix)) before.set(key, previous)
    }
    return before
  }

  #refuseCompacted(revision: Revision): void {
    if (revision >= this.#compacted) return
    throw new PilothouseError("COMPACTED", `revision ${revision} is asked for, history begins after ${this.#compacted}; list again`)
  }
}

function take(all: Iterable<Stored>, limit: number): Pick<Page, "items" | "remaining"> {
  const items: Stored[] = []
  let remaining = 0
  for (const stored of all) {
    if (items.length < limit) items.push(stored)
    else remaining++
  }
  return { items, remaining }
}

function byCodeUnits(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
