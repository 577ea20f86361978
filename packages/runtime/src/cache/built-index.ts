/** What an object without values stands under. */
const none: readonly string[] = []

/**
 * The keys of the objects under each value of an index.
 *
 * Always true between calls: a key stands under exactly the values it was last moved to, and no value has an empty set.
 */
export class BuiltIndex {
  readonly #keys = new Map<string, Set<string>>()

  keysOf(value: string): ReadonlySet<string> | undefined {
    return this.#keys.get(value)
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
    if (known === undefined) this.#keys.set(value, new Set([key]))
    else known.add(key)
  }

  #leave(key: string, value: string): void {
    const known = this.#keys.get(value)
    known?.delete(key)
    if (known?.size === 0) this.#keys.delete(value)
  }
}

/** Most changes of an object leave its index values as they are: then nothing moves. */
function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((value, at) => value === b[at])
}
