import { aborted, onAbort, throwIfAborted } from "@pilothouse/seams"

/**
 * A bound on what is under way at once. Whoever comes when it is reached waits for a slot; who came first has the next one.
 * Always true between calls: no more than `most` slots are taken, and nobody waits while fewer are.
 */
export class Slots {
  readonly #most: number
  readonly #waiting = new Set<() => void>()
  #taken = 0

  constructor(most: number) {
    this.#most = most
  }

  /** Those who wait. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Whether who comes now waits for nobody. */
  get isFree(): boolean {
    return this.#taken < this.#most
  }

  /** Until disposed. Rejects with ABORTED when the signal does before there is one. */
  async take(signal?: AbortSignal): Promise<Disposable> {
    throwIfAborted(signal)
    if (this.isFree) this.#taken++
    else await this.#turn(signal)
    let isTaken = true
    return {
      [Symbol.dispose]: () => {
        if (isTaken) this.#giveBack()
        isTaken = false
      },
    }
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    const turn = Promise.withResolvers<void>()
    this.#waiting.add(turn.resolve)
    using _listening = onAbort(signal, () => {
      if (signal !== undefined && this.#waiting.delete(turn.resolve)) turn.reject(aborted(signal))
    })
    await turn.promise
  }

  /** To the one that waits longest: then it is still taken. */
  #giveBack(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#taken--
    else {
      this.#waiting.delete(next)
      next()
    }
  }
}
