import type { TLSSocket } from "node:tls"
import type { PingTimes } from "./dead-connection.ts"
import type { Dial } from "./dial.ts"
import type { Http1Requester } from "./http1-requester.ts"
import { Http2Session } from "./http2-session.ts"
import type { Outgoing, Received, Requester } from "./requester.ts"

/**
 * Speaks HTTP/2 with a server that has it, and HTTP/1.1 with one that has not, as the first handshake decides.
 * Invariant: at most one connection is being opened, and none while an HTTP/2 connection has room.
 */
export class TlsRequester implements Requester {
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
