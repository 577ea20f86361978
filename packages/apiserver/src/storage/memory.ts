import { type Log, silentLog, stringifyJson } from "@pilothouse/seams"
import { withManagedFields } from "../managedfields/object-managed-fields.ts"
import { conflictIn, makeAll } from "./accept.ts"
import { checkObjectSize } from "./object-size.ts"
import { State } from "./state.ts"
import type { Change, Committed, Conflict, Forgotten, ListOptions, Page, Revision, Storage, Stored, Write } from "./storage.ts"

export interface MemoryStorageOptions {
  readonly log?: Log
  /** Bytes of memory that history may hold; above that the oldest goes before its time. */
  readonly historyBytes?: number
}

/** Returns a storage that keeps its objects in memory only. */
export function memoryStorage({ log = silentLog, historyBytes }: MemoryStorageOptions = {}): Storage {
  return new MemoryStorage(new State(log, historyBytes))
}

/** Invariant: what was accepted is in the state. */
class MemoryStorage implements Storage {
  readonly #state: State

  constructor(state: State) {
    this.#state = state
  }

  get revision(): Revision {
    return this.#state.revision
  }

  get compacted(): Revision {
    return this.#state.compacted
  }

  async commit(writes: readonly Write[]): Promise<Committed | Conflict> {
    const conflict = conflictIn(writes, (key) => this.#state.get(key))
    if (conflict) return conflict
    const stored = makeAll(writes, this.#state.revision + 1)
    for (let at = 0; at < writes.length; at++) if (writes[at]!.mayBeLarge === true) this.#checkSize(stored[at]!, writes[at]!)
    this.#state.apply(stored.map((one, index) => ({ stored: one, deletes: writes[index]!.deletes === true })))
    return { ok: true, stored }
  }

  #checkSize({ key, value }: Stored, { deletes }: Write): void {
    if (deletes !== true) checkObjectSize(stringifyJson(withManagedFields(value)), value, this.#state.get(key))
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
  }

  get lastRefusal(): undefined {
    return undefined
  }

  async writeRefusal(): Promise<undefined> {}

  async close(): Promise<void> {}
}
