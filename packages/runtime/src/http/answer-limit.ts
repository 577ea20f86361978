import { abortWith, type Clock, PilothouseError, type TransportRequest } from "@pilothouse/seams"

/**
 * Ends a request with the caller's signal, or when nothing of its answer came for too long: a list of a hundred megabytes over a slow line may take
 * minutes, as long as it comes.
 */
export class AnswerLimit {
  readonly #clock: Clock
  readonly #timeout: number
  readonly #request: TransportRequest
  readonly #controller = new AbortController()
  readonly #listening: Disposable
  #timer: Disposable
  /** When the last of the answer came. Looked at when the timer fires: a timer for every chunk would cost more than the chunk. */
  #receivedAt: number | undefined
  /** Why it ended, if it was the time. */
  expired: PilothouseError | undefined

  constructor(clock: Clock, timeout: number, request: TransportRequest) {
    this.#clock = clock
    this.#timeout = timeout
    this.#request = request
    this.#listening = abortWith(this.#controller, request.signal)
    this.#timer = this.#wait(timeout)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** A part of the answer came. */
  received(): void {
    this.#receivedAt = this.#clock.elapsed()
  }

  /** The answer is a stream: it may take its time, and still ends when the caller's signal does. */
  began(): void {
    this.#timer[Symbol.dispose]()
  }

  over(): void {
    this.#timer[Symbol.dispose]()
    this.#listening[Symbol.dispose]()
  }

  #wait(milliseconds: number): Disposable {
    const { verb, path } = this.#request
    return this.#clock.timer(milliseconds, `answer to ${verb} ${path}`, () => this.#check())
  }

  #check(): void {
    const silent = this.#receivedAt === undefined ? this.#timeout : this.#clock.elapsed() - this.#receivedAt
    if (silent < this.#timeout) this.#timer = this.#wait(this.#timeout - silent)
    else this.#expire()
  }

  #expire(): void {
    const { verb, path } = this.#request
    const what = this.#receivedAt === undefined ? "was not answered within" : "was answered in part, and nothing more came for"
    this.expired = new PilothouseError("CONNECTION_LOST", `${verb} ${path} ${what} ${this.#timeout} ms; check that the server is well`)
    this.#controller.abort(this.expired)
  }
}
