import { expect, test } from "vitest"
import { reasonOf } from "./stream-end.ts"

const server = "127.0.0.1:15010"
const plain = { server }
const secure = { server, authority: "PEM" }
const shown = { ...secure, certificate: { chain: "PEM", key: "PEM" } }
const last = (words: string) => `No connection established. Last error: ${words}. Resolution note: `
const openssl = (words: string) => last(`409D:error:0A00:SSL routines:some_function:${words}:../openssl/some_file.c:77:\n`)
const cut = last("Failed to connect (2026-11-16T22:09:50.659Z)")

test.each<[name: string, details: string, asked: typeof plain, reason: RegExp]>([
  ["no server there", last("Error: connect ECONNREFUSED 127.0.0.1:1"), plain, /^nothing listens at 127\.0\.0\.1:15010; .*--server/],
  ["a name without address", "Name resolution failed for target dns:x:1", plain, /^the name in .* has no address that can be found/],
  ["a network without a way", last("Error: connect EHOSTUNREACH 10.0.0.1:1"), plain, /cannot be reached from here/],
  [
    "a plain server asked with TLS",
    openssl("wrong version number"),
    secure,
    /found a server that speaks plain; leave --certificate-authority out/,
  ],
  ["a server with TLS asked in plain", cut, plain, /one with TLS needs --certificate-authority$/],
  ["another protocol", last("Protocol error (2026-11-16T22:09:50.659Z)"), plain, /does not answer as an xDS server in plain/],
  [
    "another authority",
    last("Error: unable to verify the first certificate; if the root"),
    secure,
    /not signed by the authority of --certificate-authority/,
  ],
  [
    "a certificate that signed itself",
    last("Error: self-signed certificate; if"),
    secure,
    /not signed by the authority of --certificate-authority/,
  ],
  ["an old certificate", last("Error: certificate has expired"), secure, /^the server's certificate has expired; renew it/],
  ["a certificate of tomorrow", last("Error: certificate is not yet valid"), secure, /^the server's certificate is not valid yet; .*clock/],
  [
    "no certificate of its own",
    openssl("tlsv13 alert certificate required"),
    secure,
    /requires a client certificate and received none; .*--client-key$/,
  ],
  [
    "a certificate of another authority",
    openssl("tlsv1 alert unknown ca"),
    shown,
    /does not take the client's certificate \("alert unknown ca"\)/,
  ],
  [
    "an old certificate of its own",
    openssl("tlsv1 alert certificate expired"),
    shown,
    /\("alert certificate expired"\): .*--client-ca-file/,
  ],
  ["an end without a word, none shown", cut, secure, /it may require a client certificate; show one/],
  ["an end without a word, one shown", cut, shown, /it may not take the client's certificate; .*--client-ca-file/],
  [
    "an end in the handshake",
    last("Error: Client network socket disconnected before secure TLS connection was established"),
    shown,
    /ended the TLS handshake/,
  ],
  ["an unknown error", last("Error [ERR_NEW]: something new (2026-11-16T22:09:50.659Z)"), secure, /^something new$/],
])("what failed before a word of xDS: %s", (_name, details, asked, reason) => {
  expect(reasonOf({ details, message: "14 UNAVAILABLE" }, asked)).toMatch(reason)
})

test.each<[name: string, details: string, reason: string]>([
  ["a note", "No addresses resolved. Resolution note: no such name", "No addresses resolved. Resolution note: no such name"],
  ["no note", "the server is full. Resolution note: ", "the server is full"],
  ["what the server said", "expected a token, found ECONNREFUSED", "expected a token, found ECONNREFUSED"],
  ["nothing at all", "", "14 UNAVAILABLE"],
])("what was said stands as it is: %s", (_name, details, reason) => {
  expect(reasonOf({ details, message: "14 UNAVAILABLE" }, plain)).toBe(reason)
})
