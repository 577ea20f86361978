/** Causes recorded per key; a burst brings thousands of equal ones. */
const maxCauses = 10

/** The causes of each queued key. Invariant: a key that was not enqueued has no entry. */
export class Causes {
  readonly #byKey = new Map<string, Set<string>>()

  add(key: string, cause: string): void {
    const known = this.#byKey.get(key)
    if (known === undefined) this.#byKey.set(key, new Set([cause]))
    else if (known.size < maxCauses) known.add(cause)
  }

  /** Removes and returns the causes of a key. A key without any was requeued by its own reconcile: a retry or a delay. */
  take(key: string): readonly string[] {
    const causes = this.#byKey.get(key)
    this.#byKey.delete(key)
    return causes === undefined ? ["requeued"] : [...causes]
  }
}
