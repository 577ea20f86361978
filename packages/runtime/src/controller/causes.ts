/** Causes kept for one key; a burst brings thousands that say the same. */
const maxCauses = 10

/** Why each waiting key was asked for. Always true between calls: a key that nobody asked for has no entry. */
export class Causes {
  readonly #byKey = new Map<string, Set<string>>()

  add(key: string, cause: string): void {
    const known = this.#byKey.get(key)
    if (known === undefined) this.#byKey.set(key, new Set([cause]))
    else if (known.size < maxCauses) known.add(cause)
  }

  /** Gives the causes of a key and forgets them. A key without any asked for itself: a retry, or a time it had set. */
  take(key: string): readonly string[] {
    const causes = this.#byKey.get(key)
    this.#byKey.delete(key)
    return causes === undefined ? ["asked again"] : [...causes]
  }
}
