import type { Transport } from "./transport.ts"

/** A server that is reached by its address: a webhook, an extension API server, an authorizer. */
export interface DialedServer {
  /** "https://host:port" */
  readonly server: string
  /** The name that its certificate must have, where that is not the host of `server`. */
  readonly serverName?: string
  /** PEM of the authorities that verify it; those of the system by default. */
  readonly caBundle?: string
  /** Accepts any certificate. */
  readonly insecure?: boolean
  /** PEM of the client certificate. */
  readonly certificate?: string
  /** PEM of the key of the client certificate. */
  readonly key?: string
  /** The whole value of the Authorization header. */
  readonly authorization?: string
  /** Bytes of a whole answer; a longer one fails. */
  readonly maxAnswerSize?: number
  /** Gives every answer as a stream of bytes, as it comes: what passes answers on holds none of them. By default only a watch is a stream. */
  readonly streams?: boolean
}

/**
 * Returns a way to a server, without opening it: connections are opened by requests, and kept for the next ones. A request fails with CONNECTION_LOST and
 * the words of Go's client, which is what users of kube-apiserver know and search for: "dial tcp 127.0.0.1:1: connect: connection refused".
 */
export type Dial = (to: DialedServer) => Transport
