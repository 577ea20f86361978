import { type Clock, type Duration, milliseconds } from "@pilothouse/seams"

const minInterval = 1000

interface Resync {
  readonly every: number
  readonly fire: () => void
  timer: Disposable | undefined
}

/**
 * The resync timers of handlers.
 *
 * Invariant: while started, every entry has one timer; otherwise none has.
 */
export class ResyncTimers {
  readonly #clock: Clock
  readonly #name: string
  readonly #resyncs = new Map<object, Resync>()
  #started = false

  constructor(clock: Clock, name: string) {
    this.#clock = clock
    this.#name = name
  }

  add(listener: object, every: Duration, fire: () => void): void {
    const resync: Resync = { every: Math.max(milliseconds(every), minInterval), fire, timer: undefined }
    this.#resyncs.set(listener, resync)
    if (this.#started) this.#arm(resync)
  }

  remove(listener: object): void {
    this.#resyncs.get(listener)?.timer?.[Symbol.dispose]()
    this.#resyncs.delete(listener)
  }

  start(): void {
    this.#started = true
    for (const resync of this.#resyncs.values()) this.#arm(resync)
  }

  stop(): void {
    this.#started = false
    for (const resync of this.#resyncs.values()) {
      resync.timer?.[Symbol.dispose]()
      resync.timer = undefined
    }
  }

  #arm(resync: Resync): void {
    resync.timer = this.#clock.timer(resync.every, `${this.#name}: resync`, () => {
      this.#arm(resync)
      resync.fire()
    })
  }
}
