import type { Connection, Presented } from "./connection.ts"
import type { PingTimes } from "./dead-connection.ts"
import { dialer } from "./dial.ts"
import { Http1Requester } from "./http1-requester.ts"
import type { Requester } from "./requester.ts"
import { TlsRequester } from "./tls-requester.ts"

export interface SocketTimes extends PingTimes {
  /** How long a connection may take to open. */
  readonly connect: number
}

interface Current {
  readonly requester: Requester
  readonly authorities: string | undefined
  readonly presented: Presented
}

/**
 * The connections for the certificates of the moment. Always true between calls: new requests go out under the newest authorities and
 * client certificate; what was begun before goes on to its end, because a watch that was trusted a minute ago is no worse now.
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
    if (current !== undefined && current.authorities === authorities && sameCertificate(current.presented, presented))
      return current.requester
    const requester = make(presented, this.#times)
    if (current !== undefined) this.#retire(current.requester)
    this.#current = { requester, authorities, presented }
    return requester
  }

  /** Ends what is under way, too: a reader of a watch sees a lost connection. */
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
  const [net, tls] = await Promise.all([import("node:net"), import("node:tls")])
  // Not by import, which also loads what the module only offers (fetch, WebSocket): measured, 85 ms and 14 MB.
  const http = process.getBuiltinModule("node:http")
  const modules = { net, tls, http }
  const plain = (presented: Presented, times: SocketTimes) => {
    const dial = dialer(modules, connection, presented, times.connect)
    return { dial, http1: new Http1Requester(http, connection, dial) }
  }
  const { protocol, origin } = new URL(connection.server)
  if (protocol === "http:" || connection.http1Only === true) return (presented, times) => plain(presented, times).http1
  const http2 = await import("node:http2")
  return (presented, times) => {
    const { dial, http1 } = plain(presented, times)
    return new TlsRequester(http2, http1, origin, dial, times)
  }
}

function sameCertificate(a: Presented, b: Presented): boolean {
  return a.certificate === b.certificate && a.key === b.key
}
