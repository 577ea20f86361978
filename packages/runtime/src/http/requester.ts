import type { IncomingHttpHeaders } from "node:http"
import type { Duplex, Readable } from "node:stream"

/** A request as it goes out. */
export interface Outgoing {
  readonly origin: string
  readonly path: string
  readonly method: string
  readonly headers: Record<string, string | string[]>
  readonly body: Uint8Array | null
  readonly signal: AbortSignal
  /** The client goes on with another protocol where the server agrees (HTTP/1.1 alone). */
  readonly upgrade?: boolean
}

/** The beginning of an answer; the body is still to be read. */
export interface Received {
  readonly statusCode: number
  readonly headers: IncomingHttpHeaders
  readonly body: Readable
  /** Asked at the end of the body: false where the connection, and not the server, ended it. By default only an error of the body says so. */
  isComplete?(): boolean
  /** The connection, where the server speaks another protocol on it from now on. */
  readonly upgraded?: UpgradedConnection
}

/** What is left of an exchange after 101 Switching Protocols. */
export interface UpgradedConnection {
  readonly socket: Duplex
  /** What the server has sent behind its answer. */
  readonly head: Uint8Array
  /** Names and values in turn, as the server wrote them. */
  readonly rawHeaders: readonly string[]
}

/** Connections to one server with one identity. */
export interface Requester {
  request(outgoing: Outgoing): Promise<Received>
  /** Takes nothing new; ends when the last request has. */
  close(): Promise<void>
  /** Ends what is under way, too. */
  destroy(): Promise<void>
}
