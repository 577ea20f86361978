import type { Clock } from "@pilothouse/seams"

/** How long changes are collected before a push. */
export interface DebounceOptions {
  readonly clock: Clock
  /** Milliseconds without another call after which it fires. */
  readonly quiet: number
  /** Milliseconds after the first call at which it fires in any case. */
  readonly maximum: number
  /** Called with how many calls it stands for, and how long the first has waited. */
  readonly fire: (calls: number, waited: number) => void
}

/** Many calls become one, soon after the last of them and never long after the first. */
export class Debounce implements Disposable {
  readonly #options: DebounceOptions
  #timer: Disposable | undefined
  #first = 0
  #calls = 0

  constructor(options: DebounceOptions) {
    this.#options = options
  }

  call(): void {
    const { clock, quiet, maximum } = this.#options
    if (this.#calls === 0) this.#first = clock.elapsed()
    this.#calls++
    this.#timer?.[Symbol.dispose]()
    const left = this.#first + maximum - clock.elapsed()
    this.#timer = clock.timer(Math.min(quiet, left), "debounce of pushes", () => this.#fire())
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]()
    this.#calls = 0
  }

  #fire(): void {
    const calls = this.#calls
    this.#calls = 0
    this.#options.fire(calls, this.#options.clock.elapsed() - this.#first)
  }
}
