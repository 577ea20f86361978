import { type Log, silentLog } from "@pilothouse/seams"
import { conflictIn, makeAll } from "./accept.ts"
import { State } from "./state.ts"
import type { Change, Committed, Conflict, ListOptions, Page, Revision, Storage, Stored, Write } from "./storage.ts"

export interface MemoryStorageOptions {
  readonly log?: Log
}

export function memoryStorage({ log = silentLog }: MemoryStorageOptions = {}): Storage {
  return new MemoryStorage(log)
}

/** Always true between calls: what was accepted is in the state. */
class MemoryStorage implements Storage {
  readonly #state: State

  constructor(log: Log) {
    this.#state = new State(log)
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
    this.#state.apply(stored.map((one, index) => ({ stored: one, deletes: writes[index]!.deletes === true })))
    return { ok: true, stored }
  }

  get(key: string): Stored | undefined {
    return this.#state.get(key)
  }

  list(prefix: string, options?: ListOptions): Page {
    return this.#state.list(prefix, options)
  }

  watch(prefix: string, since: Revision, sink: (change: Change) => void): Disposable {
    return this.#state.watch(prefix, since, sink)
  }

  async compact(to: Revision): Promise<void> {
    this.#state.compact(to)
  }

  async close(): Promise<void> {}
}
