import { aborted, onAbort, throwIfAborted } from "./abort.ts"

/**
 * Limits how many operations are under way at once. A caller that comes when the limit is reached waits; those that wait are served in their order.
 *
 * Invariant between calls: at most `permits` permits are held, and no caller waits while fewer are.
 */
export class Semaphore {
  readonly #permits: number
  readonly #waiting = new Set<() => void>()
  #held = 0

  constructor(permits: number) {
    this.#permits = permits
  }

  /** How many callers wait. */
  get waiting(): number {
    return this.#waiting.size
  }

  /** Whether the next caller gets a permit at once. */
  get isAvailable(): boolean {
    return this.#held < this.#permits
  }

  /** A permit, held until it is disposed; disposing it again has no effect. Rejects with ABORTED when the signal aborts before there is one. */
  async acquire(signal?: AbortSignal): Promise<Disposable> {
    throwIfAborted(signal)
    if (this.isAvailable) this.#held++
    else await this.#turn(signal)
    let isHeld = true
    return {
      [Symbol.dispose]: () => {
        if (isHeld) this.#release()
        isHeld = false
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

  /** The caller that waits longest gets the permit, which then stays held. */
  #release(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#held--
    else {
      this.#waiting.delete(next)
      next()
    }
  }
}
