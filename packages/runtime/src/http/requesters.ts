import type { Dispatcher } from "undici"
import type { Connection, Presented } from "./connection.ts"
import { directDispatcher, keepAlive, proxiedDispatcher, type SocketTimes } from "./dispatcher.ts"
import { plainRequester } from "./plain-requester.ts"
import type { Requester } from "./requester.ts"

interface Current {
  readonly requester: Requester
  readonly authorities: string | undefined
  readonly presented: Presented
}

/**
 * The connections for the certificates of the moment. Always true between calls: new requests go out under the newest authorities and
 * client certificate, and not over a connection that the server has asked to leave; what was begun before ends in peace, because a watch that
 * was trusted a minute ago is no worse now.
 */
export class Requesters {
  readonly #connection: Connection
  readonly #times: SocketTimes
  #current: Current | undefined
  /** Take nothing new, and go when their last request has ended. */
  readonly #retired = new Set<Requester>()
  #closed = false

  constructor(connection: Connection, times: SocketTimes) {
    this.#connection = connection
    this.#times = times
  }

  async get(presented: Presented): Promise<Requester> {
    const make = await maker(this.#connection)
    if (this.#closed) throw new Error("the transport is closed; make a new one")
    const authorities = this.#connection.authorities()
    const current = this.#current
    if (
      current !== undefined &&
      !current.requester.isLeaving &&
      current.authorities === authorities &&
      sameCertificate(current.presented, presented)
    )
      return current.requester
    const requester = make(presented, this.#times)
    if (current !== undefined) this.#retire(current.requester)
    this.#current = { requester, authorities, presented }
    return requester
  }

  /** Ends what is under way, too: whoever still reads a watch sees a lost connection. */
  async close(): Promise<void> {
    this.#closed = true
    const current = this.#current
    this.#current = undefined
    await Promise.all([...this.#retired, ...(current === undefined ? [] : [current.requester])].map((requester) => requester.destroy()))
  }

  #retire(requester: Requester): void {
    this.#retired.add(requester)
    // Closing fails only where it is destroyed meanwhile, and then it is closed.
    void requester
      .close()
      .catch(() => {})
      .then(() => this.#retired.delete(requester))
  }
}

/** What speaks HTTP is loaded with the first request: a program that never does so does not pay for it. */
async function maker(connection: Connection): Promise<(presented: Presented, times: SocketTimes) => Requester> {
  const plain = connection.proxy === undefined && new URL(connection.server).protocol === "http:"
  if (plain) {
    // Not by import, which also loads what the module only offers (fetch, WebSocket): measured, 85 ms and 14 MB.
    const http = process.getBuiltinModule("node:http")
    return (_, times) => plainRequester(http, connection.server, { connect: times.connect, keepAlive })
  }
  if (connection.proxy !== undefined) {
    const undici = await import("undici")
    return (presented, times) => unhurried(proxiedDispatcher(undici, connection, presented, times), undici.Dispatcher.prototype.request)
  }
  const { Pool, buildConnector, request } = await import("./undici-parts.ts")
  return (presented, times) => unhurried(directDispatcher({ Pool, buildConnector }, connection, presented, times), request)
}

/**
 * undici would end a silent watch after five minutes; the limit for whole answers is ours.
 * After a GOAWAY (every API server that is being stopped sends one) it opens no other connection while a watch still runs on the old one, and what
 * is asked meanwhile waits for hours (8.12). It does tell that the connection is gone.
 */
function unhurried(dispatcher: Dispatcher, request: Dispatcher["request"]): Requester {
  let isLeaving = false
  dispatcher.once("disconnect", () => {
    isLeaving = true
  })
  return {
    get isLeaving() {
      return isLeaving
    },
    request: (outgoing) => request.call(dispatcher, { ...outgoing, headersTimeout: 0, bodyTimeout: 0 } as Dispatcher.RequestOptions),
    close: () => dispatcher.close(),
    destroy: () => dispatcher.destroy(),
  }
}

function sameCertificate(a: Presented, b: Presented): boolean {
  return a.certificate === b.certificate && a.key === b.key
}
