import type { Dispatcher } from "undici"
import type { Connection, Presented } from "./connection.ts"
import { makeDispatcher, type SocketTimes } from "./dispatcher.ts"

interface Current {
  readonly dispatcher: Dispatcher
  readonly authorities: string | undefined
  readonly presented: Presented
}

/**
 * The connections for the certificates of the moment. Always true between calls: new requests go out under the newest authorities and
 * client certificate; what was begun under older ones ends in peace, because a watch that was trusted a minute ago is no worse now.
 */
export class Dispatchers {
  readonly #connection: Connection
  readonly #times: SocketTimes
  #current: Current | undefined
  /** Take nothing new, and go when their last request has ended. */
  readonly #retired = new Set<Dispatcher>()
  #closed = false

  constructor(connection: Connection, times: SocketTimes) {
    this.#connection = connection
    this.#times = times
  }

  /** undici is loaded with the first request: a program that never speaks HTTP does not pay for it. */
  async get(presented: Presented): Promise<Dispatcher> {
    const undici = await import("undici")
    if (this.#closed) throw new Error("the transport is closed; make a new one")
    const authorities = this.#connection.authorities()
    const current = this.#current
    if (current !== undefined && current.authorities === authorities && sameCertificate(current.presented, presented))
      return current.dispatcher
    const dispatcher = makeDispatcher(undici, this.#connection, presented, this.#times)
    if (current !== undefined) this.#retire(current.dispatcher)
    this.#current = { dispatcher, authorities, presented }
    return dispatcher
  }

  /** Ends what is under way, too: whoever still reads a watch sees a lost connection. */
  async close(): Promise<void> {
    this.#closed = true
    const current = this.#current
    this.#current = undefined
    await Promise.all([...this.#retired, ...(current === undefined ? [] : [current.dispatcher])].map((dispatcher) => dispatcher.destroy()))
  }

  #retire(dispatcher: Dispatcher): void {
    this.#retired.add(dispatcher)
    dispatcher.close(() => this.#retired.delete(dispatcher))
  }
}

function sameCertificate(a: Presented, b: Presented): boolean {
  return a.certificate === b.certificate && a.key === b.key
}
