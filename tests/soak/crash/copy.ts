import type { Revision, Storage } from "@pilothouse/apiserver"

/** What the writer says of one write, or a storage of one change. */
export interface Said {
  readonly revision: Revision
  readonly type: string
  readonly key: string
  readonly name: string
}

/**
 * What a watcher knows of a storage, over all crashes; and all that was ever acknowledged.
 *
 * Always true between rounds: `#objects` is what the storage lists.
 */
export class Copy {
  readonly #objects = new Map<string, Said>()
  readonly #everything = new Map<Revision, Said>()
  /** The last deletion of each key. */
  readonly #deleted = new Map<string, Revision>()
  #at: Revision = 0

  /** A change that the watcher got: its revision is new and the highest. */
  see(change: Said): void {
    if (change.revision <= this.#at) throw new Error(`expected a revision above ${this.#at}, found ${shown(change)}`)
    this.remember(change)
    this.#at = change.revision
    if (change.type === "delete") this.#objects.delete(change.key)
    else this.#objects.set(change.key, change)
  }

  /** A revision is one write, for ever. */
  remember(said: Said): void {
    const before = this.#everything.get(said.revision)
    if (before !== undefined && shown(before) !== shown(said)) throw new Error(`expected ${shown(before)}, found ${shown(said)}`)
    this.#everything.set(said.revision, said)
    if (said.type === "delete") this.#deleted.set(said.key, Math.max(said.revision, this.#deleted.get(said.key) ?? 0))
  }

  /** Goes on with the watch where it was, or lists again where history does not reach, and compares all. */
  resume(storage: Storage, acknowledged: readonly Said[]): void {
    const lastSeen = this.#at
    if (lastSeen >= storage.compacted) {
      const watching = storage.watch("/", lastSeen, ({ revision, type, key, value }) =>
        this.see({ revision, type, key, name: value.metadata.name ?? "" }),
      )
      watching[Symbol.dispose]()
    } else this.#listAgain(storage)
    this.#compare(storage)
    for (const said of acknowledged) this.#find(said, storage)
  }

  #listAgain(storage: Storage): void {
    this.#objects.clear()
    this.#at = storage.revision
    for (const { key, revision, value } of storage.list("").items) {
      const said = { revision, type: "put", key, name: value.metadata.name ?? "" }
      this.remember(said)
      this.#objects.set(key, said)
    }
  }

  #compare(storage: Storage): void {
    const listed = storage
      .list("")
      .items.map(({ key, revision, value }) => shown({ revision, type: "put", key, name: value.metadata.name ?? "" }))
    const known = [...this.#objects.values()].map(shown)
    const [missing, extra] = [known.filter((one) => !listed.includes(one)), listed.filter((one) => !known.includes(one))]
    if (missing.length + extra.length > 0)
      throw new Error(`a watcher knows ${missing.join(", ") || "all"}; the list has also ${extra.join(", ")}`)
    if (storage.revision !== this.#at) throw new Error(`a watcher is at ${this.#at}, the storage at ${storage.revision}`)
  }

  /** What was acknowledged is what is there, or something newer is. */
  #find(said: Said, storage: Storage): void {
    if (said.revision > storage.revision) throw new Error(`lost ${shown(said)}: the storage ends at ${storage.revision}`)
    const now = storage.get(said.key)
    const gone = now === undefined && (this.#deleted.get(said.key) ?? 0) >= said.revision
    const same = now?.revision === said.revision && said.type === "put" && now.value.metadata.name === said.name
    if (!gone && !same && !((now?.revision ?? 0) > said.revision)) throw new Error(`lost ${shown(said)}, found ${JSON.stringify(now)}`)
  }
}

function shown({ revision, type, key, name }: Said): string {
  return `${revision} ${type} ${key} ${name.slice(0, 10)}`
}
