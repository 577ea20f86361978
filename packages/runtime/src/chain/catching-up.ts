/**
 * Whether everything that was there at the start has been tried once.
 *
 * Always true between calls: it is over exactly when it has begun and nothing is left; once over, for good.
 */
export class CatchingUp {
  readonly #over = Promise.withResolvers<void>()
  /** What was not tried yet; undefined before it has begun. */
  #left: Set<string> | undefined
  #isOver = false

  get isOver(): boolean {
    return this.#isOver
  }

  get over(): Promise<void> {
    return this.#over.promise
  }

  begin(ids: Iterable<string>): void {
    this.#left = new Set(ids)
    this.#endWhenNothingIsLeft()
  }

  tried(id: string): void {
    if (this.#isOver) return
    this.#left?.delete(id)
    this.#endWhenNothingIsLeft()
  }

  #endWhenNothingIsLeft(): void {
    if (this.#left?.size !== 0) return
    this.#isOver = true
    this.#over.resolve()
  }
}
