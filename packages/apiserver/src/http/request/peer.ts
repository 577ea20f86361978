import type { HeaderMap } from "@pilothouse/seams"

/** The subject of a client certificate that our authority signed. */
export interface ClientCertificate {
  readonly commonName: string
  readonly organizations: readonly string[]
  /** SHA-256 of the whole certificate, in hexadecimal digits. */
  readonly fingerprint: string
}

/** What the connection knows of its client. */
export interface Peer {
  readonly headers: HeaderMap
  /** "untrusted": one was shown, but our authority did not sign it or its time is over. */
  readonly certificate?: ClientCertificate | "untrusted"
}
