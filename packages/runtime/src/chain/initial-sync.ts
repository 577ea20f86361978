/**
 * Tracks whether everything that was there at the start has been processed once.
 *
 * Invariant: it is done exactly when it has begun and nothing is left, and stays done.
 */
export class InitialSync {
  readonly #done = Promise.withResolvers<void>()
  /** What was not processed yet; undefined before it has begun. */
  #left: Set<string> | undefined
  #isDone = false

  get isDone(): boolean {
    return this.#isDone
  }

  get done(): Promise<void> {
    return this.#done.promise
  }

  begin(ids: Iterable<string>): void {
    this.#left = new Set(ids)
    this.#finishIfEmpty()
  }

  tried(id: string): void {
    if (this.#isDone) return
    this.#left?.delete(id)
    this.#finishIfEmpty()
  }

  #finishIfEmpty(): void {
    if (this.#left?.size !== 0) return
    this.#isDone = true
    this.#done.resolve()
  }
}
