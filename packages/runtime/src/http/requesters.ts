import type { TLSSocket } from "node:tls"
import type { Connection, Presented } from "./connection.ts"
import type { PingTimes } from "./dead-connection.ts"
import { type Dial, dialer } from "./dial.ts"
import { Http1Requester } from "./http1-requester.ts"
import { Http2Session } from "./http2-session.ts"
import type { Outgoing, Received, Requester } from "./requester.ts"

/** Milliseconds for opening and watching over a connection. */
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
 * The connections for the certificates of the moment. Invariant: new requests go out under the newest authorities and
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

/**
 * Speaks HTTP/2 with a server that has it, and HTTP/1.1 with one that has not, as the first handshake decides.
 * Invariant: at most one connection is being opened, and none while an HTTP/2 connection has room.
 */
class TlsRequester implements Requester {
  readonly #http2: typeof import("node:http2")
  readonly #http1: Http1Requester
  readonly #origin: string
  readonly #dial: Dial
  readonly #times: PingTimes
  readonly #sessions = new Set<Http2Session>()
  readonly #stopped = new AbortController()
  #opening: Promise<void> | undefined
  #speaksHttp1 = false
  #closing = false

  constructor(http2: typeof import("node:http2"), http1: Http1Requester, origin: string, dial: Dial, times: PingTimes) {
    this.#http2 = http2
    this.#http1 = http1
    this.#origin = origin
    this.#dial = dial
    this.#times = times
  }

  async request(outgoing: Outgoing): Promise<Received> {
    for (;;) {
      outgoing.signal.throwIfAborted()
      if (this.#closing) throw new Error("the connections are closed; ask for new ones")
      if (this.#speaksHttp1) return this.#http1.request(outgoing)
      const session = this.#sessions.values().find(({ hasRoom }) => hasRoom)
      if (session !== undefined) return session.request(outgoing)
      this.#opening ??= this.#open().finally(() => {
        this.#opening = undefined
      })
      await this.#opening
    }
  }

  async close(): Promise<void> {
    this.#closing = true
    this.#stopped.abort(closed())
    for (const session of this.#sessions) session.close()
    await Promise.all([this.#http1.close(), ...this.#sessions.values().map((session) => session.closed)])
  }

  async destroy(): Promise<void> {
    this.#closing = true
    this.#stopped.abort(closed())
    for (const session of this.#sessions) session.destroy(closed())
    await this.#http1.destroy()
  }

  async #open(): Promise<void> {
    const socket = await this.#dial(["h2", "http/1.1"], this.#stopped.signal)
    if ((socket as TLSSocket).alpnProtocol !== "h2") {
      this.#speaksHttp1 = true
      this.#http1.adopt(socket)
      return
    }
    const session = new Http2Session(this.#http2, this.#origin, socket, this.#times)
    this.#sessions.add(session)
    void session.closed.then(() => this.#sessions.delete(session))
  }
}

function closed(): Error {
  return new Error("the connections are closed; ask for new ones")
}
