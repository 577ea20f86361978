import type { Session } from "./session.ts"

/** Names of one response where a response may have a part of them: some 10 ms of work. */
export const namesPerResponse = 1_000

/**
 * Sessions that have more to send than one response holds. One of them sends its next response in each turn of the event loop, so that sockets and timers have
 * their turn between two.
 *
 * Invariant: while sessions wait, exactly one turn is scheduled.
 */
export class SendTurns {
  readonly #waiting = new Set<Session>()
  #isScheduled = false

  add(session: Session): void {
    this.#waiting.add(session)
    this.#schedule()
  }

  remove(session: Session): void {
    this.#waiting.delete(session)
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    // Timers will not do: those that are due are all run before the sockets have their turn.
    setImmediate(() => {
      this.#isScheduled = false
      const [next] = this.#waiting
      if (next !== undefined) this.#waiting.delete(next)
      if (this.#waiting.size > 0) this.#schedule()
      next?.takeTurn()
    })
  }
}

/** Names that are released in one turn: some 20 ms of work. */
export const namesPerRelease = 25_000

/**
 * Removes what streams that are over have left: a connection may end with two million names. Each step of the given iterators is one name.
 *
 * Invariant: while some wait, a turn is scheduled; at most `namesPerRelease` steps are taken between two turns.
 */
export class ReleaseTurns {
  #waiting: Iterator<void, void>[] = []
  #left = namesPerRelease
  #isScheduled = false

  add(steps: Iterator<void, void>): void {
    this.#waiting.push(steps)
    this.#run()
  }

  #run(): void {
    let finished = 0
    for (const steps of this.#waiting) {
      while (this.#left > 0 && steps.next().done !== true) this.#left--
      if (this.#left === 0) break
      finished++
    }
    this.#waiting = this.#waiting.slice(finished)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isScheduled || (this.#waiting.length === 0 && this.#left === namesPerRelease)) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      this.#left = namesPerRelease
      this.#run()
    })
  }
}
