import { conflictIn, makeAll } from "../accept.ts"
import { checkObjectSize } from "../object-size.ts"
import type { Accepted, State } from "../state.ts"
import type {
  Change,
  Committed,
  Conflict,
  Forgotten,
  ListOptions,
  Page,
  Revision,
  Storage,
  Stored,
  Write,
  WriteRefusal,
} from "../storage.ts"
import type { GroupCommit } from "./group-commit.ts"
import { rowText } from "./layout.ts"
import { leavesOutdatedSecret } from "./secret-erasure.ts"

/** Writes that may wait for the disk; further ones wait before they are accepted. */
export const pendingLimit = 10_000

/** The parts that `diskStorage` opens and joins: the state in memory, the log on the disk, and their upkeep. */
export interface DiskStorageParts {
  readonly state: State
  readonly commits: GroupCommit
  /** The revision that the next write gets. */
  readonly next: Revision
  now(): number
  shrink(): Promise<void>
  /** This revision has left a value of a Secret in the log that is no longer current. */
  secretOutdated(revision: Revision): void
  /** What a write is answered with when the storage takes none any more. */
  refusal(): Error | undefined
  /** The same in words for clients; also set while the newest write found a full disk. */
  writeRefusal(): WriteRefusal | undefined
  close(): Promise<void>
}

/**
 * Memory is primary, disk is the log.
 *
 * Invariant: the state holds what is durable, and nothing else; `#accepted` holds, of each key with a write that is on its way
 * to the disk, what it will be; `#next` is higher than every revision that was ever given out.
 */
export class DiskStorage implements Storage {
  readonly #parts: DiskStorageParts
  readonly #state: State
  readonly #accepted = new Map<string, { readonly revision: Revision; readonly stored: Stored | undefined }>()
  #next: Revision
  /** One at a time, however many ask. */
  #trying: Promise<void> | undefined

  constructor(parts: DiskStorageParts) {
    this.#parts = parts
    this.#state = parts.state
    this.#next = parts.next
  }

  get revision(): Revision {
    return this.#state.revision
  }

  get compacted(): Revision {
    return this.#state.compacted
  }

  async commit(writes: readonly Write[]): Promise<Committed | Conflict> {
    const { commits, now } = this.#parts
    while (commits.size >= pendingLimit && this.#parts.refusal() === undefined) await commits.durable()
    const refusal = this.#parts.refusal()
    if (refusal) throw refusal
    const conflict = conflictIn(writes, (key) => this.#current(key))
    if (conflict) return this.#whenReadable(conflict)
    const stored = makeAll(writes, this.#next, now())
    if (writes.length > 0) await this.#accept(writes, stored)
    return { ok: true, stored }
  }

  get(key: string): Stored | undefined {
    return this.#state.get(key)
  }

  list(prefix: string, options?: ListOptions): Page {
    return this.#state.list(prefix, options)
  }

  watch(prefix: string, since: Revision, sink: (change: Change) => void, forgotten?: Forgotten): Disposable {
    return this.#state.watch(prefix, since, sink, forgotten)
  }

  async compact(to: Revision): Promise<void> {
    this.#state.compact(to)
    await this.#parts.shrink()
  }

  get lastRefusal(): WriteRefusal | undefined {
    return this.#parts.writeRefusal()
  }

  async writeRefusal(): Promise<WriteRefusal | undefined> {
    const refusal = this.#parts.writeRefusal()
    if (refusal === undefined || refusal.lasts) return refusal
    this.#trying ??= this.#tryToWrite()
    await this.#trying
    return this.#parts.writeRefusal()
  }

  close(): Promise<void> {
    return this.#parts.close()
  }

  async #tryToWrite(): Promise<void> {
    await this.#parts.commits.check()
    this.#trying = undefined
  }

  #current(key: string): Stored | undefined {
    const accepted = this.#accepted.get(key)
    return accepted ? accepted.stored : this.#state.get(key)
  }

  /** A client that reads again after a conflict and retries would else read the same object, and spin until the disk is done. */
  async #whenReadable(conflict: Conflict): Promise<Conflict> {
    if (this.#accepted.has(conflict.key)) await this.#parts.commits.durable()
    return conflict
  }

  #accept(writes: readonly Write[], stored: readonly Stored[]): Promise<void> {
    const made = stored.map((one, index) => ({ stored: one, deletes: writes[index]!.deletes === true }))
    // What cannot be encoded or is too large throws here, and nothing is accepted.
    const texts = made.map((one) => rowText(one.stored, one.deletes))
    for (let at = 0; at < made.length; at++) this.#checkSize(made[at]!, texts[at]!)
    this.#next += writes.length
    for (const { stored: one, deletes } of made) {
      this.#accepted.set(one.key, { revision: one.revision, stored: deletes ? undefined : one })
    }
    const drop = () => {
      for (const { key, revision } of stored) if (this.#accepted.get(key)?.revision === revision) this.#accepted.delete(key)
    }
    return this.#parts.commits.add({
      texts,
      last: this.#next - 1,
      drop,
      apply: () => {
        drop()
        this.#apply(made)
      },
    })
  }

  #checkSize({ stored, deletes }: Accepted, text: string): void {
    if (!deletes) checkObjectSize(text, stored.value, this.#current(stored.key))
  }

  #apply(made: readonly Accepted[]): void {
    const { compacted } = this.#state
    const outdating = made.findLast(({ stored, deletes }) => leavesOutdatedSecret(this.#state, stored, deletes))
    this.#state.apply(made)
    if (outdating !== undefined) this.#parts.secretOutdated(outdating.stored.revision)
    // History held too much: the disk need not hold it either.
    if (this.#state.compacted > compacted) void this.#parts.shrink()
  }
}
