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
