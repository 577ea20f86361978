import { PilothouseError } from "@pilothouse/seams"

/** How a client reaches a server with TLS, and shows who it is: by a certificate or a token. */
export interface ClientTlsFlags {
  readonly certificateAuthority?: string
  readonly clientCertificate?: string
  readonly clientKey?: string
  readonly tokenFile?: string
}

/** Refuses flags that do not fit together: nothing that says who one is goes out in the clear. */
export function checkClientTls({ certificateAuthority, clientCertificate, clientKey, tokenFile }: ClientTlsFlags): void {
  if ((clientCertificate === undefined) !== (clientKey === undefined))
    throw new PilothouseError("USAGE", "expected --client-certificate and --client-key together, found one of them")
  if (certificateAuthority !== undefined) return
  if (tokenFile !== undefined)
    throw new PilothouseError("USAGE", "expected --certificate-authority with --token-file, found none; a token is never sent in the clear")
  if (clientCertificate !== undefined)
    throw new PilothouseError("USAGE", "expected --certificate-authority with --client-certificate, found none; certificates need TLS")
}
