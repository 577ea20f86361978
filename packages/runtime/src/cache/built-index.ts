/** The values of an object that is in no bucket of the index. */
const none: readonly string[] = []

/**
 * The keys of the objects under each value of an index.
 *
 * Invariant: a key is under exactly the values it was last moved to, and no value has an empty set; a key whose index function threw
 * is under none, and in #unplaced.
 */
export class BuiltIndex {
  /** A single key is stored without a set: most indexes have one value per object, and ten thousand sets of one take 2.5 MB. */
  readonly #keys = new Map<string, string | Set<string>>()

  /** With the error of the index function. */
  readonly #unplaced = new Map<string, unknown>()

  /** One of the keys whose index function threw, with the error; undefined when there is none. */
  get unplaced(): readonly [key: string, error: unknown] | undefined {
    for (const entry of this.#unplaced) return entry
    return undefined
  }

  /** Moves a key from the values before a change to those after it; undefined where there is no object. */
  place(key: string, before: (() => readonly string[]) | undefined, after: (() => readonly string[]) | undefined): void {
    // A key that was under no value needs no lookup.
    const previous = before === undefined || this.#unplaced.delete(key) ? none : before()
    try {
      this.move(key, previous, after?.())
    } catch (error) {
      this.move(key, previous)
      this.#unplaced.set(key, error)
    }
  }

  keysOf(value: string): Iterable<string> | undefined {
    const known = this.#keys.get(value)
    return typeof known === "string" ? [known] : known
  }

  /** Number of keys under a value. */
  count(value: string): number {
    const known = this.#keys.get(value)
    return typeof known === "string" ? 1 : (known?.size ?? 0)
  }

  values(): Iterable<string> {
    return this.#keys.keys()
  }

  /** Moves a key from the values it was under to others. */
  move(key: string, before: readonly string[] = none, after: readonly string[] = none): void {
    if (isSame(before, after)) return
    for (const value of before) if (!after.includes(value)) this.#leave(key, value)
    for (const value of after) this.#enter(key, value)
  }

  #enter(key: string, value: string): void {
    const known = this.#keys.get(value)
    if (known === undefined) this.#keys.set(value, key)
    else if (typeof known !== "string") known.add(key)
    else if (known !== key) this.#keys.set(value, new Set([known, key]))
  }

  #leave(key: string, value: string): void {
    const known = this.#keys.get(value)
    if (typeof known === "string") {
      if (known === key) this.#keys.delete(value)
      return
    }
    known?.delete(key)
    if (known?.size === 0) this.#keys.delete(value)
  }
}

/** Most changes of an object leave its index values as they are: then nothing moves. */
function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((value, at) => value === b[at])
}
