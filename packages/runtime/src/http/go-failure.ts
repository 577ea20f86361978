import { messageOf, PilothouseError } from "@pilothouse/seams"

const unknownAuthority = "tls: failed to verify certificate: x509: certificate signed by unknown authority"
const plainAnswer = "http: server gave HTTP response to HTTPS client"

/** By Node's and OpenSSL's code: what Go's client says, given the address that was dialed and the name that the server must have. */
const words: Readonly<Record<string, (address: string, name: string, detail: string) => string>> = {
  ECONNREFUSED: (address) => `dial tcp ${address}: connect: connection refused`,
  EHOSTUNREACH: (address) => `dial tcp ${address}: connect: no route to host`,
  ENETUNREACH: (address) => `dial tcp ${address}: connect: network is unreachable`,
  ETIMEDOUT: (address) => `dial tcp ${address}: i/o timeout`,
  ENOTFOUND: (address) => `dial tcp: lookup ${hostOf(address)}: no such host`,
  EAI_AGAIN: (address) => `dial tcp: lookup ${hostOf(address)}: Temporary failure in name resolution`,
  ECONNRESET: () => "EOF",
  EPIPE: () => "write: broken pipe",
  CERT_HAS_EXPIRED: () => "tls: failed to verify certificate: x509: certificate has expired or is not yet valid",
  CERT_NOT_YET_VALID: () => "tls: failed to verify certificate: x509: certificate has expired or is not yet valid",
  DEPTH_ZERO_SELF_SIGNED_CERT: () => unknownAuthority,
  SELF_SIGNED_CERT_IN_CHAIN: () => unknownAuthority,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: () => unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT: () => unknownAuthority,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: () => unknownAuthority,
  CERT_SIGNATURE_FAILURE: () => unknownAuthority,
  ERR_TLS_CERT_ALTNAME_INVALID: (_, name, detail) =>
    `tls: failed to verify certificate: x509: certificate is valid for ${namesIn(detail)}, not ${name}`,
  ERR_SSL_WRONG_VERSION_NUMBER: () => plainAnswer,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: () => plainAnswer,
}

/**
 * Returns the error of a failure in the words of Go's client, so that a reader finds it where kube-apiserver's errors are explained. Only a connection that
 * was reset can be retried, as client-go's webhooks do: anything else fails again until something is changed.
 */
export function goFailure(cause: unknown, address: string, name: string): PilothouseError {
  const failed = firstKnown(cause)
  const message = failed === undefined ? messageOf(cause).trim() : words[failed.code]!(address, name, failed.message)
  return new PilothouseError("CONNECTION_LOST", message, { retryable: failed?.isReset === true })
}

interface Failed {
  readonly code: string
  readonly message: string
  /** The other side has cut the connection, and not only closed it before it answered. */
  readonly isReset: boolean
}

function firstKnown(thrown: unknown, depth = 0): Failed | undefined {
  if (!(thrown instanceof Error) || depth > 5) return undefined
  const code = "code" in thrown && typeof thrown.code === "string" ? thrown.code : ""
  if (Object.hasOwn(words, code)) return { code, message: thrown.message, isReset: code === "ECONNRESET" && "syscall" in thrown }
  const inner: readonly unknown[] = thrown instanceof AggregateError ? thrown.errors : [thrown.cause]
  return inner.map((error) => firstKnown(error, depth + 1)).find((found) => found !== undefined)
}

function hostOf(address: string): string {
  return address.slice(0, address.lastIndexOf(":"))
}

/** Node lists them as "DNS:localhost, IP Address:127.0.0.1"; Go names those of the kind that was compared. */
function namesIn(detail: string): string {
  const listed = detail.slice(detail.indexOf("altnames: ", detail.indexOf("is not in")) + "altnames: ".length)
  return listed
    .split(", ")
    .map((name) => name.slice(name.indexOf(":") + 1))
    .join(", ")
}
