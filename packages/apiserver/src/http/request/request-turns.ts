import type { Log } from "@pilothouse/seams"

/** Requests that are begun in one turn of the event loop, all connections together: each takes a quarter of a millisecond. */
const perTurn = 64

/** Requests over HTTP/1.1 that one connection may send without waiting for answers. Hardly any client sends a second one. */
export const maxPipelined = 64

/** As much of a session of HTTP/2, or of the socket of HTTP/1.1, as is needed. A socket has no use for the code. */
export interface Session {
  destroy(error: undefined, code: number): void
}

interface WaitingRequest {
  readonly session: Session
  readonly begin: () => void
}

/** HTTP/2's ENHANCE_YOUR_CALM: with a GOAWAY the reason that a client sends too much. */
const enhanceYourCalm = 0xb

/**
 * Begins requests in the order in which they came, so many in each turn. Node reads up to half a megabyte of a connection in a turn, which has room for
 * 10,000 requests that are reset again: begun at once, those of ten connections held the event loop up for three seconds, and half a second where they
 * came one behind the other over HTTP/1.1.
 *
 * Invariant: while a request waits, an immediate is under way that begins it or one before it. A request that waits is not answered, so
 * its stream counts towards the limit of its connection.
 */
export class RequestTurns {
  readonly #max: number
  readonly #log: Log
  readonly #waiting: WaitingRequest[] = []
  /** Requests that wait or came in this turn. */
  readonly #counts = new Map<Session, number>()
  #begun = 0
  #isTimed = false

  /** A client that keeps to its limit of streams may reset each of them once in a turn, beside those that are answered in it. */
  constructor(maxStreams: number, log: Log) {
    this.#max = perTurn + 2 * maxStreams
    this.#log = log
  }

  /** `max` is how many may wait or come in one turn; what the streams of HTTP/2 allow where it is left out. */
  add(session: Session, begin: () => void, max = this.#max): void {
    this.#enter()
    const count = this.#count(session)
    // Once: node hands out what it has read before also after the end.
    if (count === max + 1) this.#refuse(session, max)
    if (count > max) return
    if (this.#begun >= perTurn) return void this.#waiting.push({ session, begin })
    this.#begun++
    begin()
  }

  #count(session: Session): number {
    const count = (this.#counts.get(session) ?? 0) + 1
    this.#counts.set(session, count)
    return count
  }

  #refuse(session: Session, max: number): void {
    this.#log.debug("a connection was closed", { reason: `more than ${max} requests came on it at once` })
    session.destroy(undefined, enhanceYourCalm)
  }

  #enter(): void {
    if (this.#isTimed) return
    this.#isTimed = true
    setImmediate(() => this.#nextTurn())
  }

  #nextTurn(): void {
    this.#isTimed = false
    const next = this.#waiting.splice(0, perTurn)
    this.#begun = next.length
    this.#counts.clear()
    for (const { session } of this.#waiting) this.#count(session)
    if (next.length > 0) this.#enter()
    for (const { begin } of next) begin()
  }
}
