import { abortWith, type Clock, PilothouseError, type TransportRequest } from "@pilothouse/seams"

/** Ends a request with the caller's signal, or when no answer came in time. */
export class AnswerLimit {
  readonly #controller = new AbortController()
  readonly #listening: Disposable
  readonly #timer: Disposable
  /** Why it ended, if it was the time. */
  expired: PilothouseError | undefined

  constructor(clock: Clock, timeout: number, { verb, path, signal }: TransportRequest) {
    this.#listening = abortWith(this.#controller, signal)
    this.#timer = clock.timer(timeout, `answer to ${verb} ${path}`, () => {
      this.expired = new PilothouseError(
        "CONNECTION_LOST",
        `${verb} ${path} was not answered within ${timeout} ms; check that the server is well`,
      )
      this.#controller.abort(this.expired)
    })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The answer is a stream: it may take its time, and still ends when the caller's signal does. */
  began(): void {
    this.#timer[Symbol.dispose]()
  }

  over(): void {
    this.#timer[Symbol.dispose]()
    this.#listening[Symbol.dispose]()
  }
}
