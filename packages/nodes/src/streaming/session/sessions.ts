import type { Clock } from "@pilothouse/seams"
import { refusal } from "./refusal.ts"
import { type ConnectionInput, WaitingInput } from "./waiting-input.ts"

/** Streaming connections at a time, of all nodes in this process. */
const maxSessions = 1000

/** Milliseconds without a byte in either direction after which a connection ends, as kubelets have it. */
const idleLimit = 4 * 60 * 60 * 1000

/** One connection of a client. */
export interface Session extends Disposable {
  /** Something was sent or received. */
  readonly active: () => void
  /** What its client has sent and nothing has taken yet. */
  readonly input: ConnectionInput
  /** Aborts when nothing was for four hours. */
  readonly idle: AbortSignal
}

/** What the protocols of streams report to their session. */
export type StreamSession = Pick<Session, "active" | "input">

/** Always true between calls: at most 1,000 sessions are open, and each has one timer. */
export class Sessions {
  readonly #clock: Clock
  readonly #input = new WaitingInput()
  #open = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Throws the refusal of one that is too many. */
  begin(): Session {
    if (this.#open >= maxSessions)
      throw refusal(429, `expected at most ${maxSessions} streaming connections at a time, found as many; close some, or try again later`)
    this.#open++
    const clock = this.#clock
    const [over, input] = [new AbortController(), this.#input.connection()]
    let last = clock.elapsed()
    let timer: Disposable | undefined
    const wait = (milliseconds: number) => {
      timer = clock.timer(milliseconds, "an idle stream ends", () => {
        const left = last + idleLimit - clock.elapsed()
        if (left > 0) wait(left)
        else over.abort()
      })
    }
    wait(idleLimit)
    const end = () => {
      if (timer === undefined) return
      timer[Symbol.dispose]()
      timer = undefined
      input[Symbol.dispose]()
      this.#open--
    }
    const active = () => {
      last = clock.elapsed()
    }
    return { active, input, idle: over.signal, [Symbol.dispose]: end }
  }
}
