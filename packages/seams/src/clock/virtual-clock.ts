import { PilothouseError } from "../errors/errors.ts"
import type { Clock, SleepOptions } from "./clock.ts"
import { type Duration, milliseconds } from "./duration.ts"
import { sleepOn, timerDelay } from "./sleep.ts"
import { type Timer, TimerHeap } from "./timer-heap.ts"

/** Where virtual time starts, and when the clock gives up. */
export interface VirtualClockOptions {
  /** What now() says at the start. */
  readonly start?: number
  /** How far run() may go before it gives up with CLOCK_LIMIT. */
  readonly limit?: Duration
  /**
   * How long, in real time, the clock waits for the next end of external work before it gives up with STUCK.
   * Without it a hung socket would be a test that times out and says nothing; the default ends before vitest's five seconds do.
   */
  readonly patience?: Duration
}

/** 2026-01-05T09:00:00Z, a Monday morning: far from midnight, month and year ends, which tests choose on purpose. */
const defaultStart = Date.UTC(2026, 0, 5, 9)

/**
 * Time that moves only when nothing is left to do.
 *
 * Invariant between calls: now() never goes back; no timer that is due later fires while an earlier one waits;
 * time does not move while external work is open or while a microtask still runs; one caller at a time moves it (else CLOCK_BUSY).
 *
 * What a timer's callback throws comes out of the settle(), advance() or run() that fired it. That timer is spent,
 * time stands at its due time, and the next call goes on from there.
 */
export class VirtualClock implements Clock {
  readonly #heap = new TimerHeap()
  readonly #start: number
  readonly #limit: number
  readonly #patience: number
  /** Names of the external work that is open. */
  readonly #external = new Map<symbol, string>()
  #elapsed = 0
  #created = 0
  /** The call that moves time at present. */
  #moving: string | undefined
  #externalDone: (() => void) | undefined

  constructor(options: VirtualClockOptions = {}) {
    this.#start = options.start ?? defaultStart
    this.#limit = milliseconds(options.limit ?? "1000h")
    this.#patience = milliseconds(options.patience ?? "4s")
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
    const timer: Timer = { due: this.#elapsed + timerDelay(duration, name), order: this.#created++, name, fire, gone: false }
    this.#heap.push(timer)
    return { [Symbol.dispose]: () => this.#heap.cancel(timer) }
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
  settle(): Promise<void> {
    return this.#alone("settle", () => this.#runWhile(() => this.#nextDue() <= this.#elapsed))
  }

  /** Lets time pass, firing what falls due on the way, and settles at the new instant. */
  advance(duration: Duration): Promise<void> {
    return this.#alone("advance", async () => {
      const target = this.#elapsed + timerDelay(milliseconds(duration), "advance")
      await this.#runWhile(() => this.#nextDue() <= target)
      this.#elapsed = target
    })
  }

  /**
   * Lets time jump from timer to timer until the predicate holds or the promise settles, and gives the promise's result.
   * Throws STUCK when nothing is left that could bring it, CLOCK_LIMIT when it takes longer than the clock's limit.
   * After either, what the promise may still reject with is taken as seen: the error that was thrown is the one to look at.
   */
  run<T>(until: Promise<T> | (() => boolean)): Promise<T | undefined> {
    const { done, result, awaited } = typeof until === "function" ? watchCondition(until) : watchPromise(until)
    return this.#alone("run", async () => {
      const deadline = this.#elapsed + this.#limit
      await this.#runWhile(() => !done() && this.#nextDue() <= deadline)
      if (done()) return result
      throw this.#heap.size === 0 ? this.#stuck(awaited) : this.#overLimit(awaited)
    })
  }

  /** Who waits for what, earliest first: for messages. */
  waiting(): readonly string[] {
    const timers = this.#heap.waiting().map((timer) => `${timer.name} in ${timer.due - this.#elapsed} ms`)
    return [...timers, ...[...this.#external.values()].map((name) => `${name} (external)`)]
  }

  /** Two callers that move time would each see it jump under their feet, and one awaiting the other would never end. */
  async #alone<T>(call: string, move: () => Promise<T>): Promise<T> {
    if (this.#moving !== undefined) throw busy(call, this.#moving)
    this.#moving = call
    try {
      return await move()
    } finally {
      this.#moving = undefined
    }
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
      await this.#externalEnds()
      await macrotask()
    }
  }

  /** Waits, in real time, until some external work is over. */
  #externalEnds(): Promise<void> {
    return new Promise((resolve, reject) => {
      const impatient =
        this.#patience === Number.POSITIVE_INFINITY ? undefined : setTimeout(() => reject(this.#outOfPatience()), this.#patience)
      this.#externalDone = () => {
        clearTimeout(impatient)
        resolve()
      }
    })
  }

  #nextDue(): number {
    return this.#heap.peek()?.due ?? Number.POSITIVE_INFINITY
  }

  #stuck(awaited: string): PilothouseError {
    return new PilothouseError(
      "STUCK",
      `virtual time is stuck at ${this.#elapsed} ms: ${awaited}, and no timer is left that could bring it; look for a promise that never settles, or real work not wrapped in clock.external`,
    )
  }

  #outOfPatience(): PilothouseError {
    const open = [...this.#external.values()].join("; ")
    return new PilothouseError(
      "STUCK",
      `virtual time is stuck at ${this.#elapsed} ms: external work has not ended in ${this.#patience} ms of real time: ${open}; look for a socket that is never closed, or give the clock more patience`,
    )
  }

  #overLimit(awaited: string): PilothouseError {
    const waiting = this.waiting().slice(0, 10).join("; ")
    return new PilothouseError("CLOCK_LIMIT", `virtual time ran ${this.#limit} ms and ${awaited}; waiting: ${waiting}`)
  }
}

/** A macrotask begins only when the microtask queue is empty: that is how the clock knows that all work has stopped. */
function macrotask(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/** Something that run() waits for, and the sentence that says that it has not come. */
interface Awaited<Result> {
  readonly done: () => boolean
  readonly result: Result
  readonly awaited: string
}

function watchCondition(condition: () => boolean): Awaited<undefined> {
  return { done: condition, result: undefined, awaited: `the condition ${shortened(String(condition))} does not hold` }
}

function watchPromise<T>(promise: Promise<T>): Awaited<Promise<T>> {
  let settled = false
  const settle = () => {
    settled = true
  }
  promise.then(settle, settle)
  return { done: () => settled, result: promise, awaited: "the awaited promise has not settled" }
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, " ")
  return line.length <= 120 ? line : `${line.slice(0, 119)}…`
}

function busy(call: string, moving: string): PilothouseError {
  return new PilothouseError(
    "CLOCK_BUSY",
    `expected no other caller to move virtual time during ${call}(), found a ${moving}() under way; await that first, and in code that runs under the clock use sleep or timer`,
  )
}
