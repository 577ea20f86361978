/**
 * What was made of some parts, kept while the parts are the same objects.
 *
 * Always true between calls: the value under a key was made of exactly the parts that are kept beside it.
 */
export class Remembered<Part, Value> {
  readonly #made = new Map<string, { readonly parts: readonly Part[]; readonly value: Value }>()

  get(key: string, parts: readonly Part[], make: (parts: readonly Part[]) => Value): Value {
    const known = this.#made.get(key)
    if (known !== undefined && known.parts.length === parts.length && parts.every((part, at) => part === known.parts[at]))
      return known.value
    const value = make(parts)
    this.#made.set(key, { parts, value })
    return value
  }

  forget(key: string): void {
    this.#made.delete(key)
  }
}
