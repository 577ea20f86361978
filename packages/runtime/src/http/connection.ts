import type { ByteConnection } from "@pilothouse/seams"

/** What is shown to a server to say who asks. */
export interface Presented {
  /** The whole value of the Authorization header. */
  readonly authorization?: string
  /** PEM. */
  readonly certificate?: string
  /** PEM. */
  readonly key?: string
}

/** Opens a connection to a host and a port, without TLS. Undefined where a socket of the system leads there; rejects where none may be opened. */
export type Connect = (target: { readonly host: string; readonly port: number }, signal: AbortSignal) => Promise<ByteConnection | undefined>

/**
 * The credentials of the client. Tokens and certificates end, so they are asked for before every request: answering must be cheap while nothing
 * changed.
 */
export interface Credentials {
  present(): Promise<Presented>
  /** The server answered 401 to what was presented. True: there are others now, and it is worth one more try. */
  refused(presented: Presented): Promise<boolean>
  /** No more requests will follow: ends what is under way to get them. */
  close?(): void
}

/** Everything the HTTP transport needs to know of a server and of the client's credentials. */
export interface Connection {
  /** "https://10.0.0.1:6443"; a path in it is put before the path of every request. */
  readonly server: string
  /** The name the server's certificate must have, where it is not the host of `server`. */
  readonly serverName?: string
  /** Accepts any certificate. */
  readonly insecure?: boolean
  /** SHA-256 fingerprints in lower-case hexadecimal: the server's certificate must have one of them, and nothing else about it is checked. */
  readonly pins?: readonly string[]
  /** "http://", "https://" or "socks5://". */
  readonly proxy?: string
  /** Opens its connections, where the system's sockets do not lead everywhere. */
  readonly connect?: Connect
  /** Offers HTTP/1.1 alone: each request may go to another backend behind the address. */
  readonly http1Only?: boolean
  /** Sent with every request; a list where a header comes several times (Impersonate-Group). */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  /** PEM of the authorities to trust; undefined: those of the system. Asked before every request: files may change. */
  authorities(): string | undefined
  readonly credentials: Credentials
}

/** Credentials of a client without any: no header, and nothing to renew after a 401. */
export const anonymous: Credentials = {
  present: async () => ({}),
  refused: async () => false,
}
