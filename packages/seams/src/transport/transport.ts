/**
 * One request in, one response out: where a client and a server meet, in one process or over HTTP.
 * Layers (retry, metrics, tracing, dry run, fault injection) are functions from Transport to Transport.
 *
 * A transport answers every request it could deliver, failures included, with a response;
 * it throws only CONNECTION_LOST (the request may have been carried out) and ABORTED (the request's signal ended it).
 */
export type Transport = (request: TransportRequest) => Promise<TransportResponse>

/** How a request came over a socket. Its client takes any answer as a stream, in process only a watch is one. */
export interface ClientConnection {
  /** Of the client: "192.0.2.7". */
  readonly address: string
  readonly auditId: string
}

/** An HTTP method. */
export type Verb = "GET" | "POST" | "PUT" | "PATCH" | "DELETE"

/** Names in lower case. A name that comes several times has a value of several lines, where values may have commas of their own. */
export type HeaderMap = Readonly<Record<string, string>>

/** Decoded names and values; a list where a name is repeated. */
export type Query = Readonly<Record<string, string | readonly string[]>>

/** A request of a client. */
export interface TransportRequest {
  readonly verb: Verb
  /** Percent-encoded, without the query. */
  readonly path: string
  readonly query: Query
  readonly headers: HeaderMap
  readonly body?: Body
  readonly signal?: AbortSignal
  /** Undefined for a request of this process. */
  readonly connection?: ClientConnection
  /** Called before each time it is sent: throws when it must no longer be sent, for example because another replica leads. Called again for each retry. */
  readonly beforeSending?: () => void
  /**
   * How to read a long answer of this content type while it comes; a new one for each try. The answer's body then is the value that it ends with.
   * Undefined where it cannot be read so. A transport that has a value, or all the bytes at once, gives those: reading them is up to who asked.
   */
  readonly reader?: (contentType: string) => BodyReader | undefined
  /** Present where the client continues with another protocol on its connection (HTTP/1.1's Upgrade). */
  readonly upgrade?: Upgrade
}

/** A connection that carries bytes both ways: a Duplex of node:stream, which published types do not name. */
export interface ByteConnection extends AsyncIterable<Uint8Array> {
  write(bytes: Uint8Array | string): boolean
  end(): unknown
  destroy(error?: Error): unknown
}

/** The connection of a request that can be taken over, as Go's Hijacker. */
export interface Upgrade {
  /**
   * Hands over the connection: its bytes belong to the caller, who also writes the answer ("HTTP/1.1 101 Switching Protocols" …). The response to the
   * request is not written any more. It ends with the connection, and with the server that accepted it. Throws when called twice.
   */
  take(): ByteConnection
}

/** Takes the bytes of one answer in, chunk after chunk. Throws nothing: what is wrong with them is part of the value. */
export interface BodyReader {
  push(chunk: Uint8Array): void
  /** Everything has come. */
  end(): unknown
}

/** The response of a server. */
export interface TransportResponse {
  readonly status: number
  readonly headers: HeaderMap
  readonly body: Body | Stream
}

/** In process a body crosses as a value: its receiver makes one normalising copy, freezes that, and shares it. */
export type Body = ValueBody | BytesBody

/** A body that is a value: it is encoded only where it leaves the process. */
export interface ValueBody {
  readonly type: "value"
  readonly value: unknown
}

/** A body that is encoded already. */
export interface BytesBody {
  readonly type: "bytes"
  readonly bytes: Uint8Array
  readonly contentType: string
}

/**
 * A body that comes in pieces, to be read once. Leaving the for loop early (return, break) ends the request.
 * When the request's signal aborts, the pieces end, as if the server had closed: the caller that aborted knows why, and needs no error.
 * A connection that breaks throws CONNECTION_LOST.
 */
export interface Stream {
  readonly type: "stream"
  readonly frames: AsyncIterable<Frame>
  /** Has no end of its own, as a watch: a server that stops ends it where it is. Any other is broken off then, so that no client takes a part for the whole. */
  readonly endsAnywhere?: boolean
}

/** A piece of a stream: a value (one watch event, in process) or a chunk of bytes cut anywhere (over the wire). */
export type Frame = ValueBody | { readonly type: "bytes"; readonly bytes: Uint8Array }

/** The body of a request or response without one. */
export const noBody: ValueBody = { type: "value", value: undefined }

/** Returns a body of the value. */
export function valueBody(value: unknown): ValueBody {
  return { type: "value", value }
}

/** The first value of a query parameter. */
export function queryValue(query: Query, name: string): string | undefined {
  const value = query[name]
  return typeof value === "object" ? value[0] : value
}
