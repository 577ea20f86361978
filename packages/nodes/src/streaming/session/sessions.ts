import type { Clock } from "@pilothouse/seams"
import { refusal } from "./refusal.ts"
import { type ConnectionInput, WaitingInput } from "./waiting-input.ts"

/** Streaming connections at a time, of all nodes in this process. */
const maxSessions = 1000

/** Milliseconds without a byte in either direction after which a connection ends, as kubelets have it. */
const idleLimit = 4 * 60 * 60 * 1000

/** Milliseconds without a byte after which a client is pinged: that of a program that reads nothing is not read, so that its end is not noticed. */
const quietTime = 20_000

/** Milliseconds before the second ping: what a client that has gone answers to the first one is not read either, and ends the second. */
const secondPing = 1000

/** One connection of a client. */
export interface Session extends Disposable {
  /** Something was sent or received. */
  readonly active: () => void
  /** What its client has sent and nothing has taken yet. */
  readonly input: ConnectionInput
  /** Sends the client a ping, which fails where it has gone; answers are no activity. */
  readonly onQuiet: (ping: () => void) => void
  /** Aborts when nothing was for four hours. */
  readonly idle: AbortSignal
}

/** What the protocols of streams report to their session. */
export type StreamSession = Pick<Session, "active" | "input" | "onQuiet">

/** Invariant: at most 1,000 sessions are open, and each has one timer. */
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
    let ping = () => undefined as void
    let isSecond = false
    const wait = (milliseconds: number) => {
      timer = clock.timer(milliseconds, "a quiet stream is pinged, an idle one ends", () => {
        const quiet = clock.elapsed() - last
        if (quiet >= idleLimit) return over.abort()
        const isQuiet = quiet >= quietTime
        if (isQuiet) ping()
        isSecond = isQuiet && !isSecond
        wait(Math.min(isSecond ? secondPing : quietTime, idleLimit - quiet))
      })
    }
    wait(quietTime)
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
    const onQuiet = (wanted: () => void) => {
      ping = wanted
    }
    return { active, input, onQuiet, idle: over.signal, [Symbol.dispose]: end }
  }
}
