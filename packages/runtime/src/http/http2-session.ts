import type { ClientHttp2Session, ClientHttp2Stream } from "node:http2"
import type { Socket } from "node:net"
import { endWhenDead, type PingTimes } from "./dead-connection.ts"
import { keepAlive } from "./http1-requester.ts"
import type { Outgoing, Received } from "./requester.ts"

type NodeHttp2 = typeof import("node:http2")

const mebibyte = 1024 * 1024
/** What one connection carries, watches and requests, where the server allows it. */
const maxStreams = 250
/** What a server allows at least, until its settings have come (RFC 9113, 6.5.2). */
const assumedStreams = 100

/**
 * One HTTP/2 connection. Invariant: `hasRoom` is false once the server has asked its clients to leave (GOAWAY), or the connection is closed; what was begun
 * before goes on.
 */
export class Http2Session {
  readonly #session: ClientHttp2Session
  readonly #constants
  #streams = 0
  #limit = assumedStreams
  #idle: NodeJS.Timeout | undefined
  readonly closed: Promise<void>

  /**
   * The windows: a watch whose reader is slow holds at most 1 MiB, and 250 of them together do not stop the others on the connection.
   */
  constructor(http2: NodeHttp2, origin: string, socket: Socket, times: PingTimes) {
    const session = http2.connect(origin, {
      createConnection: () => socket,
      settings: { enablePush: false, initialWindowSize: mebibyte },
      maxSessionMemory: 256,
    })
    this.#session = session
    this.#constants = http2.constants
    session.setLocalWindowSize(256 * mebibyte)
    session.on("remoteSettings", ({ maxConcurrentStreams }) => {
      this.#limit = Math.min(maxStreams, maxConcurrentStreams ?? maxStreams)
    })
    // Its streams fail with the same error.
    session.on("error", () => {})
    this.closed = new Promise((resolve) => {
      session.once("close", resolve)
    })
    endWhenDead(session, socket, times)
    this.#rest()
  }

  get hasRoom(): boolean {
    return !this.#session.closed && !this.#session.destroyed && this.#streams < this.#limit
  }

  request({ path, method, headers, body, signal }: Outgoing): Promise<Received> {
    return new Promise((resolve, reject) => {
      const length = body === null ? {} : { "content-length": String(body.length) }
      const all = { ...headers, ...length, ":path": path, ":method": method }
      const stream = this.#session.request(all, { endStream: body === null, signal })
      this.#begin(stream)
      stream.on("error", reject)
      stream.once("close", () => reject(new Error("the connection was closed before an answer came")))
      // Node ends the body of a stream without an error where its connection is cut (24.21).
      const isComplete = () => stream.rstCode === this.#constants.NGHTTP2_NO_ERROR
      stream.once("response", ({ ":status": statusCode = 0, ...received }) =>
        resolve({ statusCode, headers: received, body: stream, isComplete }),
      )
      if (body !== null) stream.end(body)
    })
  }

  /** Takes nothing new; closes when the last stream has ended. */
  close(): void {
    clearTimeout(this.#idle)
    this.#session.close()
  }

  destroy(error: Error): void {
    clearTimeout(this.#idle)
    this.#session.destroy(error, this.#constants.NGHTTP2_CANCEL)
  }

  /** An unused connection does not keep the process alive. */
  #begin(stream: ClientHttp2Stream): void {
    if (this.#streams++ === 0) {
      clearTimeout(this.#idle)
      this.#session.ref()
    }
    stream.once("close", () => {
      if (--this.#streams === 0) this.#rest()
    })
  }

  #rest(): void {
    if (this.#session.destroyed) return
    this.#session.unref()
    this.#idle = setTimeout(() => this.#session.close(), keepAlive).unref()
  }
}
