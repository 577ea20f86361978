import { expect, test } from "vitest"
import { explainFailure, type Peer } from "./explain-failure.ts"

function failure(code: string, message: string, cause?: unknown): Error {
  return Object.assign(new Error(message, { cause }), { code })
}

const rows: Record<string, { cause: unknown; message: string; retryable: boolean }> = {
  "a client certificate is wanted, in OpenSSL's words": {
    cause: failure(
      "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED",
      "00A8B0F5AE7F0000:error:0A00045C:SSL routines:ssl3_read_bytes:tlsv13 alert certificate required\n",
    ),
    message:
      'the server requires a client certificate; add "client-certificate-data" and "client-key-data" to the user (SSL routines:ssl3_read_bytes:tlsv13 alert certificate required)',
    retryable: false,
  },
  "the code of a cause": {
    cause: new Error("the proxy p:1 could not be used; check its address", { cause: failure("ENOTFOUND", "getaddrinfo ENOTFOUND p") }),
    message:
      "the name of the host is not known; check its spelling, or the DNS of this machine (the proxy p:1 could not be used; check its address: getaddrinfo ENOTFOUND p)",
    retryable: true,
  },
  "one of several addresses": {
    cause: new AggregateError([
      failure("ECONNREFUSED", "connect ECONNREFUSED ::1:1"),
      failure("ECONNREFUSED", "connect ECONNREFUSED 127.0.0.1:1"),
    ]),
    message:
      "nothing listens there; check that the API server runs, and the port (connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127.0.0.1:1)",
    retryable: true,
  },
  "an unknown code": { cause: failure("EWHATEVER", "odd"), message: "odd", retryable: true },
}

test.each(Object.entries(rows))("%s", (_, { cause, message, retryable }) => {
  expect(explainFailure(cause)).toEqual({ message, retryable })
})

const keystone: Peer = { name: "Keystone", address: "auth_url", authorities: "cacert" }

test.each<[code: string, message: string]>([
  ["ECONNREFUSED", "nothing listens there; check that Keystone runs, and the port in auth_url (odd)"],
  [
    "SELF_SIGNED_CERT_IN_CHAIN",
    "the server's certificate is signed by an unknown authority; put the authority that signed it into cacert (odd)",
  ],
  ["ERR_TLS_CERT_ALTNAME_INVALID", "the server's certificate is for another name; use one of its names in auth_url (odd)"],
  ["ERR_SSL_WRONG_VERSION_NUMBER", "the server does not speak TLS; check the port, or begin auth_url with http:// (odd)"],
  ["ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", "the server requires a client certificate, and there is none to show here (odd)"],
])("of another server than the API server, %s does not point to a kubeconfig", (code, message) => {
  expect(explainFailure(failure(code, "odd"), keystone).message).toBe(message)
})
