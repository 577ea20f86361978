import { messageOf } from "@pilothouse/seams"
import { ProxyFailure } from "./tunnel.ts"

interface Explained {
  /** What went wrong and what to do. */
  readonly message: string
  /** False: it will fail again until something is changed. */
  readonly retryable: boolean
}

/** The kind of the other end, for the reader of the error: what to check depends on it. */
export interface Peer {
  /** "the API server", "Keystone" */
  readonly name: string
  /** The setting that its address comes from. */
  readonly address: string
  /** Where the authorities belong that it is trusted by. */
  readonly authorities: string
}

/** The words for failures to reach the API server: what to correct is in the kubeconfig. */
export const apiServer: Peer = {
  name: "the API server",
  address: '"server"',
  authorities: '"certificate-authority-data" of the cluster',
}

/** The code of a server's certificate that is not the one it must be. */
export const pinMismatch = "ERR_CERTIFICATE_PIN"

const refusedCertificate = "get a new client certificate, signed by the authority that the server trusts"

/** By Node's and OpenSSL's code. Their own texts do not say what to do. */
function known(peer: Peer): Readonly<Record<string, string>> {
  const unknown = (how: string) => `the server's certificate is signed by ${how}; put the authority that signed it into ${peer.authorities}`
  const isApiServer = peer === apiServer
  const noTls = `the server does not speak TLS; check the port, or begin ${peer.address} with http://`
  return {
    [pinMismatch]: "the server's certificate is not the one that is expected there; another program may have its port",
    CERT_HAS_EXPIRED: "the server's certificate has expired; renew it on the server, and check the clock of this machine",
    CERT_NOT_YET_VALID: "the server's certificate is not valid yet; check the clock of this machine",
    DEPTH_ZERO_SELF_SIGNED_CERT: unknown("an unknown authority (by itself)"),
    SELF_SIGNED_CERT_IN_CHAIN: unknown("an unknown authority"),
    UNABLE_TO_VERIFY_LEAF_SIGNATURE: unknown("an unknown authority"),
    UNABLE_TO_GET_ISSUER_CERT: unknown("an unknown authority"),
    UNABLE_TO_GET_ISSUER_CERT_LOCALLY: unknown("an unknown authority"),
    CERT_SIGNATURE_FAILURE: unknown("another authority of the same name"),
    ERR_TLS_CERT_ALTNAME_INVALID: `the server's certificate is for another name; use one of its names in ${peer.address}${isApiServer ? ', or set "tls-server-name"' : ""}`,
    ERR_SSL_WRONG_VERSION_NUMBER: noTls,
    ERR_SSL_PACKET_LENGTH_TOO_LONG: noTls,
    ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: `the server requires a client certificate${isApiServer ? '; add "client-certificate-data" and "client-key-data" to the user' : ", and there is none to show here"}`,
    ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: `the server does not know the authority of the client certificate; ${refusedCertificate}`,
    ERR_SSL_SSL_ALERT_BAD_CERTIFICATE: `the server refused the client certificate; ${refusedCertificate}`,
    ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: `the client certificate has expired; ${refusedCertificate}`,
    ERR_OSSL_X509_KEY_VALUES_MISMATCH: "the client key does not belong to the client certificate; use the two that were made together",
  }
}

/** These pass by themselves; where they do not, this is where to look. */
function passing(peer: Peer): Readonly<Record<string, string>> {
  const port = peer === apiServer ? "the port" : `the port in ${peer.address}`
  const silent = "the host did not answer in time; check network, VPN, firewall and proxy"
  const noWay = "there is no way to the host; check network, VPN and proxy"
  return {
    ECONNREFUSED: `nothing listens there; check that ${peer.name} runs, and ${port}`,
    ENOTFOUND: "the name of the host is not known; check its spelling, or the DNS of this machine",
    EAI_AGAIN: "the name of the host could not be asked for; check the DNS of this machine",
    EHOSTUNREACH: noWay,
    ENETUNREACH: noWay,
    ETIMEDOUT: silent,
  }
}

/** A sentence for what a socket or TLS failed with. */
export function explainFailure(cause: unknown, peer: Peer = apiServer): Explained {
  // What is known of servers would send the reader to the wrong machine.
  if (cause instanceof ProxyFailure) return { message: detail(cause), retryable: true }
  const [lasting, hints] = [known(peer), passing(peer)]
  const code = codeIn(cause, { ...lasting, ...hints })
  if (code === undefined) return { message: detail(cause), retryable: true }
  return { message: `${lasting[code] ?? hints[code]} (${detail(cause)})`, retryable: lasting[code] === undefined }
}

/** The first code that means something, in the error, in what caused it, or in one of several that failed together. */
function codeIn(thrown: unknown, meanings: Readonly<Record<string, string>>, depth = 0): string | undefined {
  if (!(thrown instanceof Error) || depth > 5) return undefined
  const code = "code" in thrown && typeof thrown.code === "string" ? thrown.code : undefined
  if (code !== undefined && code in meanings) return code
  const inner = thrown instanceof AggregateError ? thrown.errors : [thrown.cause]
  return inner.map((error) => codeIn(error, meanings, depth + 1)).find((found) => found !== undefined)
}

/** OpenSSL's messages end with a line break and begin with a number of its own. */
function detail(cause: unknown): string {
  return messageOf(cause)
    .replace(/^[0-9A-F]{8,}:error:[0-9A-F]*:/, "")
    .trim()
}
