import { type KubeObject, keyOf } from "@pilothouse/api"

/** One thing that was learned about an object. */
export type Delta<T extends KubeObject = KubeObject> =
  /** `sync`: nothing is new, somebody wants to look at everything again. */
  | { readonly type: "added" | "updated" | "sync"; readonly object: T }
  /** It was in a list. `wentBack`: in one that is older than what was known, so its versions say nothing of what they were before. */
  | { readonly type: "replaced"; readonly object: T; readonly wentBack: boolean }
  /** `finalStateUnknown`: a list no longer has it; the object is the last one that was seen. */
  | { readonly type: "deleted"; readonly object: T; readonly finalStateUnknown: boolean }

/** Everything that was learned about one object since it was last popped, oldest first. */
export interface Deltas<T extends KubeObject = KubeObject> {
  readonly key: string
  readonly deltas: readonly Delta<T>[]
  /** Part of the first batch. */
  readonly initial: boolean
}

/** What the consumer of a queue has: needed to find out what a list no longer has. */
export interface KnownObjects<T extends KubeObject> {
  get(key: string): T | undefined
  keys(): Iterable<string>
}

/**
 * What happened, by object, in the order in which each object was first heard of.
 *
 * Always true between calls: a key is queued exactly when it has deltas, and once; its deltas are in the order they came;
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

  /** Deltas that wait. */
  get size(): number {
    return this.#size
  }

  /** The first list (or anything else) has come, and all of that first batch was popped. */
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

  /** The delete of something nobody has heard of is dropped. */
  delete(object: T): void {
    this.#populated = true
    const key = keyOf(object)
    if (!this.#deltas.has(key) && this.#known.get(key) === undefined) return
    this.#push(key, { type: "deleted", object, finalStateUnknown: false })
  }

  /** Takes a list as the truth: what is known or queued and not in it is gone, without anyone having seen it go. Deletes come first. */
  replace(objects: readonly T[], { wentBack = false }: { readonly wentBack?: boolean } = {}): void {
    // By key, made once for each: of two of one name the later is the newer.
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

  /** Reminds of every known object that nothing is queued for. */
  resync(): void {
    for (const key of this.#known.keys()) {
      const object = this.#known.get(key)
      if (object !== undefined && !this.#deltas.has(key)) this.#push(key, { type: "sync", object })
    }
  }

  /** Takes the object that was heard of first, with everything about it. */
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
        // Of two deletes in a row the one that saw the object go knows more.
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
