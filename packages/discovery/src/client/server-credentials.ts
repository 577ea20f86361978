import { checkServerIdentity, type PeerCertificate } from "node:tls"
import type * as Grpc from "@grpc/grpc-js"
import { bitsIn, parseIp } from "@pilothouse/api/net"
import { PilothouseError } from "@pilothouse/seams"

/** Files and names by which a client trusts a server. */
export interface ServerCredentialsOptions {
  /** "127.0.0.1:15010" */
  readonly server: string
  /** PEM of the server's authority: without it the connection is plain. */
  readonly authority?: string
  /** PEM of its own certificate and key, to be shown. Only over TLS. */
  readonly certificate?: { readonly chain: string; readonly key: string }
}

/** The TLS material of a client, read. */
export interface ServerCredentials {
  readonly credentials: Grpc.ChannelCredentials
  readonly options: Grpc.ChannelOptions
}

/** Returns the credentials with which a client connects to a server, and what it verifies there. */
export function serverCredentials(grpc: typeof Grpc, { server, authority, certificate }: ServerCredentialsOptions): ServerCredentials {
  if (authority === undefined) return { credentials: grpc.credentials.createInsecure(), options: {} }
  const host = hostOf(server)
  const own = certificate === undefined ? [null, null] : [Buffer.from(certificate.key), Buffer.from(certificate.chain)]
  const check = { checkServerIdentity: (_asked: string, found: PeerCertificate) => otherName(host, found) }
  const indicated = nameOfAddress(host)
  try {
    return {
      credentials: grpc.credentials.createSsl(Buffer.from(authority), ...(own as [Buffer | null, Buffer | null]), check),
      options: indicated === undefined ? {} : { "grpc.ssl_target_name_override": indicated },
    }
  } catch (cause) {
    const expected = certificate === undefined ? "an authority" : "an authority, and a certificate with its own key"
    throw new PilothouseError("INVALID", `expected ${expected} (PEM), found what TLS refuses`, { cause })
  }
}

/** "[::1]:15010" → "::1" */
function hostOf(server: string): string {
  return server.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1")
}

/** The names are checked against the host itself, whatever name the server is asked by. */
function otherName(host: string, found: PeerCertificate): Error | undefined {
  if (checkServerIdentity(host, found) === undefined) return undefined
  const names = (found.subjectaltname ?? "").replaceAll(/(DNS|IP Address|URI):/g, "")
  return new Error(
    `expected a certificate of the server for ${host}, found one for ${names || "no name"}; use a name that it has, or give the server one for ${host}`,
  )
}

/**
 * In a handshake a server is never asked for by an address (RFC 6066): grpc-js does so and Node warns of it, unless it is given a name. This is the one that
 * RFC 8738 has for such a server: "1.0.0.127.in-addr.arpa".
 */
export function nameOfAddress(host: string): string | undefined {
  const address = parseIp(host)
  if (address === undefined) return undefined
  const [size, radix, zone] = address.family === 4 ? [8, 10, "in-addr.arpa"] : [4, 16, "ip6.arpa"]
  const mask = (1n << BigInt(size)) - 1n
  const parts = Array.from({ length: bitsIn(address.family) / size }, (_, at) =>
    ((address.value >> BigInt(at * size)) & mask).toString(radix),
  )
  return `${parts.join(".")}.${zone}`
}
