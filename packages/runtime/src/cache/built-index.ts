/** What an object without values stands under. */
const none: readonly string[] = []

/**
 * The keys of the objects under each value of an index.
 *
 * Always true between calls: a key stands under exactly the values it was last moved to, and no value has an empty set; a key whose values could not be
 * told stands under none, and in #unplaced.
 */
export class BuiltIndex {
  /** One key stands for itself: most indexes have a value for each object, and ten thousand sets of one take 2.5 MB. */
  readonly #keys = new Map<string, string | Set<string>>()

  /** With what kept them from being told. */
  readonly #unplaced = new Map<string, unknown>()

  /** One of the keys that could not be placed, and why; undefined when all are. */
  get unplaced(): readonly [key: string, error: unknown] | undefined {
    for (const entry of this.#unplaced) return entry
    return undefined
  }

  /** Puts a key under the values that a function gives, from where it stood by the same function: undefined where there is no object. */
  place(key: string, before: (() => readonly string[]) | undefined, after: (() => readonly string[]) | undefined): void {
    // Where it stood nowhere there is nothing to ask.
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

  /** How many keys stand under a value. */
  count(value: string): number {
    const known = this.#keys.get(value)
    return typeof known === "string" ? 1 : (known?.size ?? 0)
  }

  values(): Iterable<string> {
    return this.#keys.keys()
  }

  /** Moves a key from the values it stood under to others. */
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
