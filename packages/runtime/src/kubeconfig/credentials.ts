import { createPrivateKey, X509Certificate } from "node:crypto"
import { formatTime } from "@pilothouse/api"
import { type Clock, type Files, type Log, messageOf, PilothouseError } from "@pilothouse/seams"
import { anonymous, type Credentials } from "../http/connection.ts"
import { ExecPlugin } from "./exec-plugin.ts"
import { checkedHeader } from "./header-value.ts"
import { readPem } from "./pem.ts"
import type { RunPlugin } from "./run-plugin.ts"
import { fileToken, fixedAuthorization } from "./token.ts"
import type { Environment, UserEntry } from "./types.ts"

export interface CredentialsOptions {
  readonly files: Files
  readonly clock: Clock
  readonly run: RunPlugin
  readonly log?: Log
  readonly environment: Environment
  readonly terminal: boolean
  /** The user's name in the kubeconfig. */
  readonly name: string
  /** Where the kubeconfig is, for messages. */
  readonly from: string
  readonly cluster: () => Readonly<Record<string, unknown>>
}

/** Returns the credentials of a user of a kubeconfig: certificate, token or password, or those of an exec plugin where there is none of these. */
export function userCredentials(user: UserEntry, options: CredentialsOptions): Credentials {
  const whose = `user "${options.name}" in ${options.from}`
  refuseUnsupported(user, whose)
  const authorization = userAuthorization(user, options, whose)
  const certificate = certificatePair(user, options, whose)
  if (authorization === undefined && certificate === undefined) {
    return user.exec ? new ExecPlugin({ ...options, exec: user.exec, whose }) : anonymous
  }
  const inner = authorization ?? anonymous
  return {
    present: async () => ({ ...(await inner.present()), ...certificate?.() }),
    refused: (presented) => inner.refused(presented),
  }
}

function refuseUnsupported(user: UserEntry, whose: string): void {
  const provider = user["auth-provider"]
  if (provider) {
    const found = provider.name ?? "without a name"
    throw new PilothouseError(
      "INVALID",
      `expected a token, certificate or exec plugin of ${whose}, found the auth-provider ${found}; use an exec plugin (kubelogin, gke-gcloud-auth-plugin) instead`,
    )
  }
  if (user.token && (user.username || user.password)) {
    throw new PilothouseError("INVALID", `expected one way to identify ${whose}, found a token and a username; remove one`)
  }
}

function userAuthorization(user: UserEntry, { files, clock, name }: CredentialsOptions, whose: string): Credentials | undefined {
  if (user.tokenFile) return fileToken({ files, clock, path: user.tokenFile, what: `the token file of user "${name}"` })
  if (user.token) return fixedAuthorization(`Bearer ${checkedHeader(user.token, `the token of ${whose}`)}`)
  if (!user.username && !user.password) return undefined
  return fixedAuthorization(`Basic ${Buffer.from(`${user.username ?? ""}:${user.password ?? ""}`).toString("base64")}`)
}

function certificatePair(user: UserEntry, options: CredentialsOptions, whose: string): (() => Pair) | undefined {
  const { name, from, clock } = options
  const pem = (field: "client-certificate" | "client-key") =>
    readPem({ data: user[`${field}-data`], file: user[field], what: `${field} of user "${name}"`, from }, options)
  const [certificate, key] = [pem("client-certificate"), pem("client-key")]
  if (certificate === undefined && key === undefined) return undefined
  if (certificate === undefined || key === undefined) {
    const [has, lacks] = certificate === undefined ? ["client-key", "client-certificate"] : ["client-certificate", "client-key"]
    throw new PilothouseError("INVALID", `expected ${lacks} or ${lacks}-data beside the ${has} of ${whose}, found none; add it`)
  }
  return newestPair(
    () => ({ certificate: certificate(), key: key() }),
    (pair) => checkClientCertificate({ ...pair, whose, now: clock.now() }),
  )
}

interface Pair {
  readonly certificate: string
  readonly key: string
}

/** Returns the last matching pair: of two rewritten files, one comes first. Throws when the first pair does not match. */
function newestPair(read: () => Pair, check: (pair: Pair) => void): () => Pair {
  let newest = read()
  let lastRead = newest
  check(newest)
  return () => {
    const found = read()
    if (found.certificate === lastRead.certificate && found.key === lastRead.key) return newest
    lastRead = found
    try {
      check(found)
      newest = found
    } catch {
      // The known pair stays; the other file will follow.
    }
    return newest
  }
}

interface CheckedCertificate {
  readonly certificate: string
  readonly key: string
  /** Whose it is, for messages: 'user "jane" in /home/jane/.kube/config'. */
  readonly whose: string
  /** Milliseconds since 1970. */
  readonly now: number
}

/** Throws for a certificate that the server would refuse without a reason. */
export function checkClientCertificate({ certificate, key, whose, now }: CheckedCertificate): void {
  const x509 = readable("client certificate", whose, () => new X509Certificate(certificate))
  const privateKey = readable("client key", whose, () => createPrivateKey(key))
  if (!x509.checkPrivateKey(privateKey)) {
    throw new PilothouseError(
      "CREDENTIALS",
      `expected the client key of ${whose} to belong to its certificate, found another key; use the two that were made together`,
    )
  }
  const [begins, ends] = [Date.parse(x509.validFrom), Date.parse(x509.validTo)]
  if (now > ends) throw notNow(whose, `one that ended at ${formatTime(ends)}`, "get a new one from the administrator of the cluster")
  if (now < begins) throw notNow(whose, `one that begins at ${formatTime(begins)}`, "check the clock of this machine")
}

function notNow(whose: string, found: string, todo: string): PilothouseError {
  return new PilothouseError("CREDENTIALS", `expected a client certificate of ${whose} that is valid now, found ${found}; ${todo}`)
}

function readable<T>(what: string, whose: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new PilothouseError(
      "CREDENTIALS",
      `expected a readable ${what} of ${whose}, found one that OpenSSL refuses (${messageOf(cause)}); copy it again`,
    )
  }
}
