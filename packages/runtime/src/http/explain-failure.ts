import { messageOf } from "@pilothouse/seams"
import { ProxyFailure } from "./tunnel.ts"

interface Explained {
  /** What went wrong and what to do. */
  readonly message: string
  /** False: it will go wrong again until somebody changes something. */
  readonly retryable: boolean
}

const trust = 'put the authority that signed it into "certificate-authority-data" of the cluster'
const refusedCertificate = "get a new client certificate, signed by the authority that the server trusts"

/** By Node's and OpenSSL's code. What they say alone tells nobody what to do. */
const known: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: "the server's certificate has expired; renew it on the server, and check the clock of this machine",
  CERT_NOT_YET_VALID: "the server's certificate is not valid yet; check the clock of this machine",
  DEPTH_ZERO_SELF_SIGNED_CERT: `the server's certificate is signed by an unknown authority (by itself); ${trust}`,
  SELF_SIGNED_CERT_IN_CHAIN: `the server's certificate is signed by an unknown authority; ${trust}`,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: `the server's certificate is signed by an unknown authority; ${trust}`,
  UNABLE_TO_GET_ISSUER_CERT: `the server's certificate is signed by an unknown authority; ${trust}`,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: `the server's certificate is signed by an unknown authority; ${trust}`,
  CERT_SIGNATURE_FAILURE: `the server's certificate is signed by another authority of the same name; ${trust}`,
  ERR_TLS_CERT_ALTNAME_INVALID: 'the server\'s certificate is for another name; use one of its names in "server", or set "tls-server-name"',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not speak TLS; check the port, or begin "server" with http://',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the server does not speak TLS; check the port, or begin "server" with http://',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED:
    'the server wants a client certificate; add "client-certificate-data" and "client-key-data" to the user',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: `the server does not know the authority of the client certificate; ${refusedCertificate}`,
  ERR_SSL_SSL_ALERT_BAD_CERTIFICATE: `the server refused the client certificate; ${refusedCertificate}`,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: `the client certificate has expired; ${refusedCertificate}`,
  ERR_OSSL_X509_KEY_VALUES_MISMATCH: "the client key does not belong to the client certificate; use the two that were made together",
}

/** Nobody has to change anything for these to pass, but where they do not, this is where to look. */
const passing: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there; check that the API server runs, and the port",
  ENOTFOUND: "the name of the host is not known; check its spelling, or the DNS of this machine",
  EAI_AGAIN: "the name of the host could not be asked for; check the DNS of this machine",
  EHOSTUNREACH: "there is no way to the host; check network, VPN and proxy",
  ENETUNREACH: "there is no way to the host; check network, VPN and proxy",
  ETIMEDOUT: "the host did not answer in time; check network, VPN, firewall and proxy",
  UND_ERR_CONNECT_TIMEOUT: "the host did not answer in time; check network, VPN, firewall and proxy",
}

/** A sentence for what a socket or TLS failed with. */
export function explainFailure(cause: unknown): Explained {
  // What is known of servers would send whoever reads it to the wrong machine.
  if (cause instanceof ProxyFailure) return { message: detail(cause), retryable: true }
  const code = codeIn(cause)
  const lasting = code === undefined ? undefined : known[code]
  if (lasting !== undefined) return { message: `${lasting} (${detail(cause)})`, retryable: false }
  const hint = code === undefined ? undefined : passing[code]
  return { message: hint === undefined ? detail(cause) : `${hint} (${detail(cause)})`, retryable: true }
}

/** The first code that means something, in the error, in what caused it, or in one of several that failed together. */
function codeIn(thrown: unknown, depth = 0): string | undefined {
  if (!(thrown instanceof Error) || depth > 5) return undefined
  const code = "code" in thrown && typeof thrown.code === "string" ? thrown.code : undefined
  if (code !== undefined && (code in known || code in passing)) return code
  const inner = thrown instanceof AggregateError ? thrown.errors : [thrown.cause]
  return inner.map((error) => codeIn(error, depth + 1)).find((found) => found !== undefined)
}

/** OpenSSL's messages end with a line break and begin with a number of its own. */
function detail(cause: unknown): string {
  return messageOf(cause)
    .replace(/^[0-9A-F]{8,}:error:[0-9A-F]*:/, "")
    .trim()
}
