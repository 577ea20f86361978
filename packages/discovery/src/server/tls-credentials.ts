import { createSecureContext } from "node:tls"
import { PilothouseError } from "@pilothouse/seams"

/** What a server shows, and whom it believes; PEM. */
export interface TlsPair {
  readonly certificate: string
  readonly key: string
  /** Whose client certificates are good. With it every client needs one; without it there are only tokens. */
  readonly clientAuthority?: string
}

/** As Node's TLS takes it. Refuses a pair that is no good: a server never stands without one. */
export function contextOf({ certificate, key, clientAuthority }: TlsPair): { cert: string; key: string; ca?: string } {
  const context = { cert: certificate, key, ...(clientAuthority !== undefined && { ca: clientAuthority }) }
  try {
    createSecureContext(context)
  } catch (cause) {
    throw new PilothouseError("INVALID", "expected a certificate and its own key, found ones that TLS refuses", { cause })
  }
  return context
}
