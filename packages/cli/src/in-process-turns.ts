import type { Clock, Transport } from "@pilothouse/seams"

/** Milliseconds that controllers may keep the event loop by requests that are answered in process, before sockets and timers have their turn. */
const slice = 50
/** Requests that go on in one turn once some had to wait. */
const perTurn = 32

/**
 * Lets the event loop turn while controllers ask the API server of their own process: such an answer needs no socket, so 15,000 of them in a row
 * (the owners of one object) would hold up everything else for seconds. Requests over a socket come in turns of their own.
 *
 * Between calls: requests in `#waiting` are passed on in the order they came, and none overtakes them.
 */
export class InProcessTurns implements Disposable {
  readonly #clock: Clock
  readonly #waiting: (() => void)[] = []
  /** When the first request since the event loop turned last has come. */
  #since = 0
  /** While there was a request since then, or one waits. */
  #timer: Disposable | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The same transport, whose requests wait when there were too many without a turn. */
  over(transport: Transport): Transport {
    return (request) => {
      if (this.#waiting.length === 0 && !this.#isStarved()) return transport(request)
      const { promise, resolve } = Promise.withResolvers<void>()
      this.#waiting.push(resolve)
      return promise.then(() => transport(request))
    }
  }

  #isStarved(): boolean {
    if (this.#timer !== undefined) return this.#clock.elapsed() - this.#since > slice
    this.#begin()
    return false
  }

  /** A timer that is due at once tells when the event loop has turned. */
  #begin(): void {
    this.#since = this.#clock.elapsed()
    this.#timer = this.#clock.timer(0, "the next turn of requests in process", () => {
      this.#timer = undefined
      for (const go of this.#waiting.splice(0, perTurn)) go()
      if (this.#waiting.length > 0) this.#begin()
    })
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]()
    for (const go of this.#waiting.splice(0)) go()
  }
}
