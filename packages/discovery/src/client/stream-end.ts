import type * as Grpc from "@grpc/grpc-js"
import type { ServerCredentialsOptions } from "./server-credentials.ts"

type Asked = ServerCredentialsOptions

interface Failure {
  /** As grpc-js, Node or OpenSSL call it; one of them is there. */
  readonly words: readonly string[]
  /** Only of these connections; by default of all. */
  readonly only?: (asked: Asked) => boolean
  readonly meaning: (asked: Asked, words: string, said: string) => string
}

const isPlain = ({ authority }: Asked) => authority === undefined
const renew = "renew it, or look at the clock of this machine"
const whyNot = "is it signed by the authority of the server's --client-ca-file, and has it not expired?"
const showCertificate = "show one with --client-certificate and --client-key"

/** How server-credentials.ts begins what it says about a name that the certificate does not have. */
const ownRefusal = "expected a certificate of the server for "
const brokenConnection = ["Failed to connect", "ECONNRESET", "EPIPE", "socket hang up"]
/** The alerts of TLS about a certificate of the client. */
const refusedCertificates = [
  "alert unknown ca",
  "alert bad certificate",
  "alert certificate expired",
  "alert certificate revoked",
  "alert certificate unknown",
  "alert certificate unobtainable",
  "alert unsupported certificate",
  "alert access denied",
  "alert decrypt error",
]

/** What went wrong before a word of xDS, and what to do about it. The first that fits counts. */
const failures: readonly Failure[] = [
  {
    words: ["ECONNREFUSED"],
    meaning: ({ server }) => `nothing listens at ${server}; is the server running, and is that its address (--server)?`,
  },
  {
    words: ["Name resolution failed", "ENOTFOUND", "EAI_AGAIN"],
    meaning: ({ server }) => `the name in ${server} has no address that can be found; look at --server`,
  },
  {
    words: ["EHOSTUNREACH", "ENETUNREACH", "ETIMEDOUT"],
    meaning: ({ server }) => `${server} cannot be reached from here; look at --server, the network and firewalls`,
  },
  { words: [ownRefusal], meaning: (_asked, _words, said) => said.slice(said.indexOf(ownRefusal)).split("\n", 1)[0]! },
  {
    words: ["wrong version number", "packet length too long", "http request"],
    meaning: ({ server }) =>
      `expected TLS at ${server}, found a server that speaks plain; leave --certificate-authority out, or look at --server`,
  },
  {
    words: ["unable to verify", "self-signed certificate", "unable to get issuer", "unable to get local issuer", "signature failure"],
    meaning: () => "the server's certificate is not signed by the authority of --certificate-authority; give the one that signed it",
  },
  { words: ["certificate has expired"], meaning: () => `the server's certificate has expired; ${renew}` },
  { words: ["certificate is not yet valid"], meaning: () => `the server's certificate is not valid yet; ${renew}` },
  {
    words: ["alert certificate required"],
    meaning: () => `the server requires a client certificate and received none; ${showCertificate}`,
  },
  {
    words: refusedCertificates,
    meaning: (_asked, words) => `the server does not take the client's certificate ("${words}"): ${whyNot}`,
  },
  {
    words: ["Failed to connect", "Protocol error", "ECONNRESET", "EPIPE", "socket hang up", "disconnected before secure"],
    only: isPlain,
    meaning: ({ server }) => `${server} does not answer as an xDS server in plain; one with TLS needs --certificate-authority`,
  },
  {
    words: ["disconnected before secure"],
    meaning: ({ server }) => `${server} ended the TLS handshake; is it a server with TLS, and is that its address (--server)?`,
  },
  // The refusal of a certificate may come behind the end of the connection, and is lost then.
  {
    words: brokenConnection,
    only: ({ certificate }) => certificate === undefined,
    meaning: () => `the server ended the connection after the TLS handshake: it may require a client certificate; ${showCertificate}`,
  },
  {
    words: brokenConnection,
    meaning: () => `the server ended the connection after the TLS handshake: it may not take the client's certificate; ${whyNot}`,
  },
]

const lastError = "No connection established. Last error: "

/** Describes why a stream ended, in words that say what to do. The server's own message stands as it is. */
export function reasonOf({ details, message }: Pick<Grpc.ServiceError, "details" | "message">, asked: Asked): string {
  // grpc-js ends some of its sentences with a note of the resolver, whether there is one or not.
  const said = (details || message).replace(/\.? Resolution note:\s*$/, "")
  const last = said.startsWith(lastError)
    ? said
        .slice(lastError.length)
        .replace(/^Error(?: \[\w+\])?: /, "")
        .replace(/ \([\dT:.-]+Z\)$/, "")
    : undefined
  if (last === undefined && !said.startsWith("Name resolution failed")) return said
  const words = (last ?? said).trim()
  for (const failure of failures) {
    const found = failure.words.find((one) => words.includes(one))
    if (found !== undefined && failure.only?.(asked) !== false) return failure.meaning(asked, found, words)
  }
  return words
}
