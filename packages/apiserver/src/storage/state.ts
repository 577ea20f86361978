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
 * Objects, their history and their watchers: what a storage keeps in memory, wherever else it keeps it. Writes are accepted before they come here.
 *
 * Invariant: `#keys` holds the keys of `#items`; `#log` holds the changes behind `compacted` up to `revision`, by revision,
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
    const page = at >= this.revision ? this.#listNow(prefix, after, limit) : this.#listAt(prefix, at, after, limit)
    return { revision: Math.min(at, this.revision), ...page }
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
    this.#watchers.notifyForgotten(until)
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
   * The writes of one commit. The caller knows that their revisions are higher than every one before. All are applied before the first watcher is notified:
   * a watcher that reads in its callback sees the whole commit. Where history then holds too much, its beginning is dropped.
   */
  apply(writes: readonly Accepted[]): void {
    for (const change of writes.map((write) => this.#take(write))) this.#watchers.notify(change)
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

  #listNow(prefix: string, after: string, limit: number): ListedPage {
    const items: Stored[] = []
    for (const key of this.#keys.range(prefix, after)) {
      if (key === after) continue
      // The rest is counted and not gone through: a page of one object may have 100,000 behind it.
      if (items.length >= limit) return { items, remaining: this.#keys.countAfter(prefix, items.at(-1)?.key ?? after) }
      items.push(this.#items.get(key)!)
    }
    return { items, remaining: 0 }
  }

  /** The state at a past revision is the present one with the changes since undone: only keys that have changed are looked at twice. */
  #listAt(prefix: string, at: Revision, after: string, limit: number): ListedPage {
    const before = this.#undoneSince(prefix, at)
    const changed = [...before.keys()].filter((key) => key > after).sort(byCodeUnits)
    const items: Stored[] = []
    for (const key of mergedKeys(this.#keys.range(prefix, after), changed)) {
      if (key === after) continue
      const stored = before.has(key) ? before.get(key) : this.#items.get(key)
      if (stored === undefined) continue
      if (items.length >= limit) return { items, remaining: this.#countAt(prefix, items.at(-1)?.key ?? after, before) }
      items.push(stored)
    }
    return { items, remaining: 0 }
  }

  #countAt(prefix: string, after: string, before: ReadonlyMap<string, Stored | undefined>): number {
    let count = this.#keys.countAfter(prefix, after)
    for (const [key, stored] of before) if (key > after) count += Number(stored !== undefined) - Number(this.#items.has(key))
    return count
  }

  /** What stood at each key that has changed since; undefined where nothing did. */
  #undoneSince(prefix: string, at: Revision): Map<string, Stored | undefined> {
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

type ListedPage = Pick<Page, "items" | "remaining">

/** Two sorted sequences of keys as one, each key once. */
function* mergedKeys(present: Iterable<string>, changed: readonly string[]): Generator<string> {
  let at = 0
  for (const key of present) {
    while (at < changed.length && changed[at]! < key) yield changed[at++]!
    if (changed[at] === key) at++
    yield key
  }
  for (; at < changed.length; at++) yield changed[at]!
}

function byCodeUnits(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0
}
