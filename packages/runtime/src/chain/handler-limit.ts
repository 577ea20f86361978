import { abortable, type Clock, PilothouseError } from "@pilothouse/seams"

/**
 * Time limit of handlers: for each call, and by the end of the run.
 *
 * Invariant: `signal` has aborted only when the run is over. One serves many calls, one after the other: most handlers only change
 * memory, and are done before a signal of their own would be made.
 */
export class HandlerLimit {
  readonly #clock: Clock
  readonly #milliseconds: number
  #current = new AbortController()
  #isOver = false

  constructor(clock: Clock, milliseconds: number) {
    this.#clock = clock
    this.#milliseconds = milliseconds
  }

  get signal(): AbortSignal {
    return this.#current.signal
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Settles as the work does, or throws when its time is over; the work is then not awaited any more. */
  async within(work: Promise<void>, kind: string): Promise<void> {
    const current = this.#current
    using _timer = this.#clock.timer(this.#milliseconds, `handler of ${kind}`, () => {
      this.#current = new AbortController()
      current.abort(this.#tooLong(kind))
    })
    try {
      await abortable(work, current.signal)
    } catch (error) {
      const { reason } = current.signal
      throw reason instanceof PilothouseError ? reason : error
    }
  }

  /** Ends the run: active work is aborted. */
  end(): void {
    this.#isOver = true
    this.#current.abort()
  }

  #tooLong(kind: string): PilothouseError {
    const limit = `${this.#milliseconds} ms`
    return new PilothouseError(
      "TIMEOUT",
      `expected a handler of ${kind} to end within ${limit}, found it at work; end it at its signal, or set timeLimit`,
    )
  }
}
