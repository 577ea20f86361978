import type { Clock, Transport } from "@pilothouse/seams"

/** Milliseconds that controllers may keep the event loop, before sockets and timers have their turn. */
const slice = 50
/** How many go on in one turn once some had to wait. */
const perTurn = 32

/**
 * Lets the event loop turn while controllers work: a reconcile without writes and a request to the API server of the same process wait for no socket, so
 * 15,000 of them in a row (the owners of one object) would hold up everything else for seconds.
 *
 * Invariant: those in `#waiting` go on in the order they came, and none overtakes them; once disposed, none waits.
 */
export class TurnGate implements Disposable {
  readonly #clock: Pick<Clock, "elapsed">
  readonly #waiting: (() => void)[] = []
  /** When this turn began; undefined before the first call in it. */
  #since: number | undefined
  #isDisposed = false

  constructor(clock: Pick<Clock, "elapsed">) {
    this.#clock = clock
  }

  /** Undefined while the slice of this turn lasts, else a promise to wait for. */
  readonly whenFree = (): Promise<void> | undefined => {
    if (this.#isDisposed || (this.#waiting.length === 0 && !this.#isOver(this.#enter()))) return undefined
    return new Promise((resolve) => void this.#waiting.push(resolve))
  }

  /** The same transport, whose requests wait for their turn. */
  over(transport: Transport): Transport {
    return (request) => {
      const free = this.whenFree()
      return free === undefined ? transport(request) : free.then(() => transport(request))
    }
  }

  #isOver(since: number): boolean {
    return this.#clock.elapsed() - since > slice
  }

  /** An immediate tells when the turn is over: timers that are due are all run before the sockets have their turn. */
  #enter(): number {
    if (this.#since !== undefined) return this.#since
    this.#since = this.#clock.elapsed()
    setImmediate(() => this.#begin())
    return this.#since
  }

  /**
   * The first goes on in any case. Each of the others has an immediate of its own: what the one before it does, down to its last microtask, has been done by
   * then, and counts.
   */
  #begin(): void {
    this.#since = undefined
    if (this.#waiting.length === 0) return
    this.#enter()
    this.#waiting.shift()?.()
    for (let count = Math.min(perTurn - 1, this.#waiting.length); count > 0; count--) setImmediate(() => this.#goOn())
  }

  #goOn(): void {
    if (!this.#isOver(this.#enter())) this.#waiting.shift()?.()
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true
    for (const go of this.#waiting.splice(0)) go()
  }
}
