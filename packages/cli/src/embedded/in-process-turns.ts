import type { Clock, Transport } from "@pilothouse/seams"

/** Milliseconds that controllers may keep the event loop by requests that are answered in process, before sockets and timers have their turn. */
const slice = 50
/** Requests that go on in one turn once some had to wait. */
const perTurn = 32

/**
 * Lets the event loop turn while controllers ask the API server of their own process: such an answer needs no socket, so 15,000 of them in a row
 * (the owners of one object) would hold up everything else for seconds. Requests over a socket come in turns of their own.
 *
 * Invariant: requests in `#waiting` are passed on in the order they came, and none overtakes them; once disposed, none waits.
 */
export class InProcessTurns implements Disposable {
  readonly #clock: Pick<Clock, "elapsed">
  readonly #waiting: (() => void)[] = []
  /** When the first request of this turn has come; undefined before it. */
  #since: number | undefined
  #isDisposed = false

  constructor(clock: Pick<Clock, "elapsed">) {
    this.#clock = clock
  }

  /** The same transport, whose requests wait when there were too many without a turn. */
  over(transport: Transport): Transport {
    return (request) => {
      if (this.#isDisposed || (this.#waiting.length === 0 && this.#clock.elapsed() - this.#enter() <= slice)) return transport(request)
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.push(resolve)
      return promise.then(() => transport(request))
    }
  }

  /** An immediate tells when the turn is over: timers that are due are all run before the sockets have their turn. */
  #enter(): number {
    if (this.#since !== undefined) return this.#since
    this.#since = this.#clock.elapsed()
    setImmediate(() => {
      this.#since = undefined
      for (const go of this.#waiting.splice(0, perTurn)) go()
      if (this.#waiting.length > 0) this.#enter()
    })
    return this.#since
  }

  [Symbol.dispose](): void {
    this.#isDisposed = true
    for (const go of this.#waiting.splice(0)) go()
  }
}
