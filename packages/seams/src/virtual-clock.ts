import type { Clock, SleepOptions } from "./clock.ts"
import { type Duration, milliseconds } from "./duration.ts"
import { PilothouseError } from "./errors.ts"
import { sleepOn } from "./sleep.ts"
import { type Timer, TimerHeap } from "./timer-heap.ts"

export interface VirtualClockOptions {
  /** What now() says at the start. */
  readonly start?: number
  /** How far run() may go before it gives up with CLOCK_LIMIT. */
  readonly limit?: Duration
}

/** 2026-01-05T09:00:00Z, a Monday morning: far from midnight, month and year ends, which tests choose on purpose. */
const defaultStart = Date.UTC(2026, 0, 5, 9)

/**
 * Time that moves only when nothing is left to do.
 *
 * Always true between calls: now() never goes back; no timer that is due later fires while an earlier one waits;
 * time does not move while external work is open or while a microtask still runs.
 */
export class VirtualClock implements Clock {
  readonly #heap = new TimerHeap()
  readonly #start: number
  readonly #limit: number
  /** Names of the external work that is open. */
  readonly #external = new Map<symbol, string>()
  #elapsed = 0
  #created = 0
  #externalDone: (() => void) | undefined

  constructor(options: VirtualClockOptions = {}) {
    this.#start = options.start ?? defaultStart
    this.#limit = milliseconds(options.limit ?? "1000h")
  }

  now(): number {
    return this.#start + this.#elapsed
  }

  elapsed(): number {
    return this.#elapsed
  }

  sleep(duration: number, options?: SleepOptions): Promise<void> {
    return sleepOn(this, duration, options)
  }

  timer(duration: number, name: string, fire: () => void): Disposable {
    const timer: Timer = { due: this.#elapsed + Math.max(0, duration), order: this.#created++, name, fire, cancelled: false }
    this.#heap.push(timer)
    return { [Symbol.dispose]: () => void (timer.cancelled = true) }
  }

  external<T>(work: Promise<T>, name: string): Promise<T> {
    const ticket = Symbol(name)
    this.#external.set(ticket, name)
    return work.finally(() => {
      this.#external.delete(ticket)
      this.#externalDone?.()
    })
  }

  /** Ends when nothing is left to do at the present instant. */
  async settle(): Promise<void> {
    await this.#runWhile(() => this.#nextDue() <= this.#elapsed)
  }

  /** Lets time pass, firing what falls due on the way, and settles at the new instant. */
  async advance(duration: Duration): Promise<void> {
    const target = this.#elapsed + milliseconds(duration)
    await this.#runWhile(() => this.#nextDue() <= target)
    this.#elapsed = Math.max(this.#elapsed, target)
    await this.settle()
  }

  /**
   * Lets time jump from timer to timer until the predicate holds or the promise settles, and gives the promise's result.
   * Throws STUCK when nothing is left that could bring it, CLOCK_LIMIT when it takes longer than the clock's limit.
   */
  async run<T>(until: Promise<T> | (() => boolean)): Promise<T | undefined> {
    const deadline = this.#elapsed + this.#limit
    const { done, result } = typeof until === "function" ? { done: until, result: Promise.resolve(undefined) } : watchPromise(until)
    await this.#runWhile(() => !done() && this.#nextDue() <= deadline)
    if (done()) return result
    throw this.#heap.peek() === undefined ? this.#stuck() : this.#overLimit()
  }

  /** Who waits for what, earliest first: for messages. */
  waiting(): readonly string[] {
    const timers = this.#heap.waiting().map((timer) => `${timer.name} in ${timer.due - this.#elapsed} ms`)
    return [...timers, ...[...this.#external.values()].map((name) => `${name} (external)`)]
  }

  async #runWhile(more: () => boolean): Promise<void> {
    await this.#quiet()
    while (more()) {
      const timer = this.#heap.pop()
      if (timer === undefined) return
      this.#elapsed = Math.max(this.#elapsed, timer.due)
      timer.fire()
      await this.#quiet()
    }
  }

  /** Waits until every microtask has run and no external work is open. */
  async #quiet(): Promise<void> {
    await macrotask()
    while (this.#external.size > 0) {
      await new Promise<void>((resolve) => {
        this.#externalDone = resolve
      })
      await macrotask()
    }
  }

  #nextDue(): number {
    return this.#heap.peek()?.due ?? Number.POSITIVE_INFINITY
  }

  #stuck(): PilothouseError {
    return new PilothouseError(
      "STUCK",
      "virtual time is stuck: what is awaited has not happened and no timer is left that could bring it; look for a promise nobody settles, or real work not wrapped in clock.external",
    )
  }

  #overLimit(): PilothouseError {
    const waiting = this.waiting().slice(0, 10).join("; ")
    return new PilothouseError(
      "CLOCK_LIMIT",
      `virtual time ran ${this.#limit} ms and what is awaited has not happened; waiting: ${waiting}`,
    )
  }
}

/** A macrotask begins only when the microtask queue is empty: that is how the clock knows that everybody has stopped. */
function macrotask(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

function watchPromise<T>(promise: Promise<T>): { done: () => boolean; result: Promise<T> } {
  let settled = false
  const settle = () => {
    settled = true
  }
  promise.then(settle, settle)
  return { done: () => settled, result: promise }
}
