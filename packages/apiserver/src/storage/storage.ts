import type { KubeObject } from "@pilothouse/api"

/** Counts accepted writes; never repeats and never goes back, not even after a restart. */
export type Revision = number

/** A stored object with the revision of its last write. */
export interface Stored {
  readonly key: string
  /** Of its last write. */
  readonly revision: Revision
  readonly value: KubeObject
  /** Wall-clock time of that write in milliseconds, where the storage outlives the process: what ends an hour after its write does so after a restart too. */
  readonly written?: number
}

/** A write of one key. Those of one commit happen together or not at all. */
export interface Write {
  readonly key: string
  /** What the writer saw: the revision of the last write, 0 for "there is none"; left out to write whatever is there. */
  readonly expected?: Revision
  /** The value carries its own revision, so it is made when that is known. Of a deletion: the last state, which watchers are shown. */
  make(revision: Revision): KubeObject
  readonly deletes?: boolean
  /** The object may be larger than one may be. A storage that has its text at hand checks every object; others check these. */
  readonly mayBeLarge?: boolean
}

/** The result of a commit. */
export interface Committed {
  readonly ok: true
  /** One per write, in their order. */
  readonly stored: readonly Stored[]
}

/** A commit that was refused because a key has changed. */
export interface Conflict {
  readonly ok: false
  /** The first key whose expectation failed, and what is there instead. */
  readonly key: string
  readonly current: Stored | undefined
}

/** Options of a list. */
export interface ListOptions {
  /** The state as it was then; now, when left out. */
  readonly at?: Revision
  /** Only keys behind this one. */
  readonly after?: string
  readonly limit?: number
}

/** One page of a list. */
export interface Page {
  readonly revision: Revision
  readonly items: readonly Stored[]
  /** How many more there are behind the last item. */
  readonly remaining: number
}

/** One change of a key, as watchers receive it. */
export interface Change {
  readonly type: "put" | "delete"
  readonly key: string
  readonly revision: Revision
  readonly value: KubeObject
  /** What stood there before. */
  readonly previous: Stored | undefined
}

/** Why no write is taken. */
export interface WriteRefusal {
  /** In words that any client may read. */
  readonly reason: string
  /** Until the storage is opened again; not so on a full disk, where writes go on as soon as there is room. */
  readonly lasts: boolean
}

/** Called when the changes up to and including a revision are held no longer. */
export type Forgotten = (compacted: Revision) => void

/**
 * A log of changes with an index: what the API needs of its store.
 *
 * Promises:
 * - Every write has a revision of its own, higher than that of the write before it. Where a write failed, and after a crash, the numbers go on with
 *   a gap; none comes twice.
 *   The writes of one commit are accepted together or not at all; several of one key are states of it that watchers see one after the other.
 * - Expectations are checked against what was accepted. Readers and watchers see a write when it will survive a crash, as far as the storage promises that;
 *   a conflict is answered when its reason can be read. A storage that cannot keep a write throws STORAGE_FAILED and can still be read; it refuses
 *   every later write too, until it is opened again, but on a full disk only until there is room.
 * - Reads are synchronous and show every commit whose promise has been fulfilled; a list is one instant, however many writes go on.
 * - A watcher gets every change behind `since` exactly once, in order of revision: those of the past within the call, then the others as they happen,
 *   and of one commit when all of it can be read. A sink that throws has its watch ended and logged; the commit and the other watchers do not notice.
 * - What is older than `compacted` is gone: list and watch there throw COMPACTED. History goes when it is compacted, and the oldest of it when it
 *   holds more bytes than the storage was given for it: whatever is written, memory and disk hold the objects and so much beside them.
 * - An object that etcd would not keep because of its size is refused with upstream's Status, and nothing of its commit is accepted.
 * - Keys are ordered by UTF-16 code units. A prefix ends with "/".
 */
export interface Storage {
  commit(writes: readonly Write[]): Promise<Committed | Conflict>
  get(key: string): Stored | undefined
  list(prefix: string, options?: ListOptions): Page
  /** The sink must not write. `forgotten` is for watchers that buffer changes: they learn which of them the storage has dropped. */
  watch(prefix: string, since: Revision, sink: (change: Change) => void, forgotten?: Forgotten): Disposable
  /** Forgets the changes up to and including this revision. */
  compact(to: Revision): Promise<void>
  /** Undefined while writes are taken. On a full disk it tries whether there is room again for the newest that was refused: there may be no other write meanwhile. */
  writeRefusal(): Promise<WriteRefusal | undefined>
  /** The same as the newest write has left it: nothing is tried. */
  readonly lastRefusal: WriteRefusal | undefined
  readonly revision: Revision
  readonly compacted: Revision
  close(): Promise<void>
}
