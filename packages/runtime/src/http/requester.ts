import type { IncomingHttpHeaders } from "node:http"
import type { Readable } from "node:stream"

/** A request as it goes out. */
export interface Outgoing {
  readonly origin: string
  readonly path: string
  readonly method: string
  readonly headers: Record<string, string | string[]>
  readonly body: Uint8Array | null
  readonly signal: AbortSignal
}

/** The beginning of an answer; the body is still to be read. */
export interface Received {
  readonly statusCode: number
  readonly headers: IncomingHttpHeaders
  readonly body: Readable
  /** Asked at the end of the body: false where the connection, and not the server, ended it. By default only an error of the body says so. */
  isComplete?(): boolean
}

/** Connections to one server with one identity. */
export interface Requester {
  request(outgoing: Outgoing): Promise<Received>
  /** Takes nothing new; ends when the last request has. */
  close(): Promise<void>
  /** Ends what is under way, too. */
  destroy(): Promise<void>
}
