import { type KubeObject, keyOf } from "@pilothouse/api"

/** One event of an object. */
export type Delta<T extends KubeObject = KubeObject> =
  /** `sync`: nothing is new; a handler resyncs. */
  | { readonly type: "added" | "updated" | "sync"; readonly object: T }
  /** It was in a list. `wentBack`: the list is older than the known state (a restored server), so equal versions may have other contents. */
  | { readonly type: "replaced"; readonly object: T; readonly wentBack: boolean }
  /** `finalStateUnknown`: a list no longer has it; the object is the last known state. */
  | { readonly type: "deleted"; readonly object: T; readonly finalStateUnknown: boolean }

/** All events of one object since it was last popped, oldest first. */
export interface Deltas<T extends KubeObject = KubeObject> {
  readonly key: string
  readonly deltas: readonly Delta<T>[]
  /** Part of the first batch. */
  readonly initial: boolean
}

/** The objects that the consumer has: a list is compared with them to find deletions. */
export interface KnownObjects<T extends KubeObject> {
  get(key: string): T | undefined
  keys(): Iterable<string>
}

/**
 * Events by object, in the order in which each object was first queued, as client-go's DeltaFIFO.
 *
 * Invariant: a key is queued exactly when it has deltas, and once; its deltas are in the order they came;
 * no two deletes stand next to each other.
 */
export class DeltaQueue<T extends KubeObject = KubeObject> {
  readonly #known: KnownObjects<T>
  readonly #deltas = new Map<string, Delta<T>[]>()
  /** Keys in order; those before #head are popped. */
  #order: string[] = []
  #head = 0
  #size = 0
  #populated = false
  /** Keys of the first batch that are not popped yet. */
  #initialLeft = 0

  constructor(known: KnownObjects<T>) {
    this.#known = known
  }

  /** Number of queued deltas. */
  get size(): number {
    return this.#size
  }

  /** The first list (or any other event) was received, and all of that first batch was popped. */
  get hasSynced(): boolean {
    return this.#populated && this.#initialLeft === 0
  }

  add(object: T, key: string = keyOf(object)): void {
    this.#populated = true
    this.#push(key, { type: "added", object })
  }

  update(object: T, key: string = keyOf(object)): void {
    this.#populated = true
    this.#push(key, { type: "updated", object })
  }

  /** The delete of an unknown object is dropped. */
  delete(object: T): void {
    this.#populated = true
    const key = keyOf(object)
    if (!this.#deltas.has(key) && this.#known.get(key) === undefined) return
    this.#push(key, { type: "deleted", object, finalStateUnknown: false })
  }

  /** Takes a list as the complete state: known or queued objects that are not in it are deleted with `finalStateUnknown`. Deletes come first. */
  replace(objects: readonly T[], { wentBack = false }: { readonly wentBack?: boolean } = {}): void {
    // By key: of two objects with one key the later is the newer.
    const listed = new Map(objects.map((object) => [keyOf(object), object]))
    const gone = new Set([...this.#deltas.keys(), ...this.#known.keys()].filter((key) => !listed.has(key)))
    for (const key of gone) {
      const object = this.#deltas.get(key)?.at(-1)?.object ?? this.#known.get(key)
      if (object !== undefined) this.#push(key, { type: "deleted", object, finalStateUnknown: true })
    }
    for (const [key, object] of listed) this.#push(key, { type: "replaced", object, wentBack })
    if (this.#populated) return
    this.#populated = true
    this.#initialLeft = listed.size + gone.size
  }

  /** Queues a sync of every known object that has no deltas. */
  resync(): void {
    for (const key of this.#known.keys()) {
      const object = this.#known.get(key)
      if (object !== undefined && !this.#deltas.has(key)) this.#push(key, { type: "sync", object })
    }
  }

  /** Removes and returns the deltas of the object that was queued first. */
  pop(): Deltas<T> | undefined {
    const key = this.#order[this.#head]
    if (key === undefined) return undefined
    const deltas = this.#deltas.get(key) ?? []
    const initial = !this.hasSynced
    this.#deltas.delete(key)
    this.#size -= deltas.length
    if (this.#initialLeft > 0) this.#initialLeft--
    this.#advance()
    return { key, deltas, initial }
  }

  #push(key: string, delta: Delta<T>): void {
    const queued = this.#deltas.get(key)
    if (queued === undefined) {
      this.#deltas.set(key, [delta])
      this.#order.push(key)
    } else {
      const last = queued.at(-1)
      if (last?.type === "deleted" && delta.type === "deleted") {
        // Of two deletes in a row the one with the final state wins.
        if (!delta.finalStateUnknown) queued[queued.length - 1] = delta
        return
      }
      queued.push(delta)
    }
    this.#size++
  }

  #advance(): void {
    this.#head++
    if (this.#head === this.#order.length) {
      this.#order = []
      this.#head = 0
    }
  }
}
