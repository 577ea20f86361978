import type { Clock } from "@pilothouse/seams"

/**
 * One limit in time for many: a timer of its own for each request is several times dearer than a place in this list.
 *
 * Invariant: the entries are in the order of their ends; while there are entries a timer runs, due no later than the first end.
 * One timer may still run when there are no entries any more: it finds none, and no other follows.
 */
export class TimeLimit implements Disposable {
  readonly #clock: Clock
  readonly #name: string
  readonly #milliseconds: number
  readonly #waiting = new Set<Waiting>()
  #timer: Disposable | undefined

  constructor(clock: Clock, name: string, milliseconds: number) {
    this.#clock = clock
    this.#name = name
    this.#milliseconds = milliseconds
  }

  /** Calls when the time is over, unless it was disposed before. */
  start(over: () => void): Disposable {
    const waiting = new Waiting(this.#waiting, this.#clock.elapsed() + this.#milliseconds, over)
    this.#waiting.add(waiting)
    if (this.#timer === undefined) this.#checkAfter(this.#milliseconds)
    return waiting
  }

  [Symbol.dispose](): void {
    this.#waiting.clear()
    this.#timer?.[Symbol.dispose]()
    this.#timer = undefined
  }

  #checkAfter(milliseconds: number): void {
    this.#timer = this.#clock.timer(milliseconds, this.#name, () => this.#check())
  }

  #check(): void {
    this.#timer = undefined
    const now = this.#clock.elapsed()
    for (const waiting of this.#waiting) {
      if (waiting.end > now) return this.#checkAfter(waiting.end - now)
      this.#waiting.delete(waiting)
      waiting.over()
    }
  }
}

class Waiting implements Disposable {
  readonly end: number
  readonly over: () => void
  readonly #all: Set<Waiting>

  constructor(all: Set<Waiting>, end: number, over: () => void) {
    this.#all = all
    this.end = end
    this.over = over
  }

  [Symbol.dispose](): void {
    this.#all.delete(this)
  }
}
