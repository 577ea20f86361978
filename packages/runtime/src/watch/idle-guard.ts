import { abortWith, type Clock, PilothouseError } from "@pilothouse/seams"

/** Milliseconds. Servers send a bookmark about every minute; a stream that is silent for longer is half-open and never fails by itself. */
export const maxSilence = 90_000

export interface IdleGuardOptions {
  readonly clock: Clock
  /** Name of the request, for messages. */
  readonly name: string
  readonly outer: AbortSignal
  /** Milliseconds; 90 s by default. */
  readonly silence?: number
}

/**
 * Aborts a request that receives nothing for too long.
 *
 * Invariant: until it is disposed or its signal aborts, one timer runs, due no later than the end of the allowed silence.
 */
export class IdleGuard implements Disposable {
  readonly #clock: Clock
  readonly #name: string
  readonly #silence: number
  readonly #controller = new AbortController()
  readonly #listening: Disposable
  #lastActivity: number
  #paused = false
  #lost: PilothouseError | undefined
  #timer: Disposable

  constructor({ clock, name, outer, silence = maxSilence }: IdleGuardOptions) {
    this.#clock = clock
    this.#name = name
    this.#silence = silence
    this.#lastActivity = clock.elapsed()
    this.#timer = this.#arm(silence)
    this.#listening = abortWith(this.#controller, outer)
  }

  /** Aborts with the outer signal, after too long a silence, and when the guard is disposed. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Set when the silence was too long. */
  get lost(): PilothouseError | undefined {
    return this.#lost
  }

  touch(): void {
    this.#lastActivity = this.#clock.elapsed()
  }

  /** Ignores silence while the reader itself is busy. */
  async pauseWhile(work: Promise<void>): Promise<void> {
    this.#paused = true
    await work
    this.#paused = false
    this.touch()
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]()
    this.#listening[Symbol.dispose]()
    // A manager that stops ends all its watches at once: an error that says nothing new would take their stacks for nothing.
    if (!this.signal.aborted) this.#controller.abort(new PilothouseError("ABORTED", `${this.#name} is over`))
  }

  /** One timer for the whole stream, rearmed for the remaining silence: a timer per event would cost more than the event. */
  #arm(milliseconds: number): Disposable {
    return this.#clock.timer(milliseconds, `${this.#name}: idle check`, () => {
      if (this.#paused) this.touch()
      const silence = this.#clock.elapsed() - this.#lastActivity
      if (silence < this.#silence) {
        this.#timer = this.#arm(this.#silence - silence)
        return
      }
      this.#lost = new PilothouseError("CONNECTION_LOST", `nothing was received from ${this.#name} for ${this.#silence} ms`)
      this.#controller.abort(this.#lost)
    })
  }
}
