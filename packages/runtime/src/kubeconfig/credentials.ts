import { type Clock, type Files, PilothouseError } from "@pilothouse/seams"
import { anonymous, type Credentials } from "../http/connection.ts"
import { checkClientCertificate } from "./client-certificate.ts"
import { ExecPlugin } from "./exec-plugin.ts"
import { pemOf } from "./pem.ts"
import type { RunPlugin } from "./run-plugin.ts"
import { fileToken, fixedAuthorization } from "./token.ts"
import type { Environment, UserEntry } from "./types.ts"

export interface CredentialsOptions {
  readonly files: Files
  readonly clock: Clock
  readonly run: RunPlugin
  readonly environment: Environment
  readonly terminal: boolean
  /** The user's name in the kubeconfig. */
  readonly name: string
  /** Where the kubeconfig is, for messages. */
  readonly from: string
  readonly cluster: () => Readonly<Record<string, unknown>>
}

/** How a user of a kubeconfig identifies itself: by certificate, by token or password, or by what a plugin prints where there is none of these. */
export function credentialsOf(user: UserEntry, options: CredentialsOptions): Credentials {
  const whose = `user "${options.name}" in ${options.from}`
  refuseUnsupported(user, whose)
  const authorization = authorizationOf(user, options, whose)
  const certificate = certificateOf(user, options, whose)
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

function authorizationOf(user: UserEntry, { files, clock, name }: CredentialsOptions, whose: string): Credentials | undefined {
  if (user.tokenFile) return fileToken({ files, clock, path: user.tokenFile, what: `the token file of user "${name}"` })
  if (user.token) return fixedAuthorization(`Bearer ${checkedHeader(user.token, `the token of ${whose}`)}`)
  if (!user.username && !user.password) return undefined
  return fixedAuthorization(`Basic ${Buffer.from(`${user.username ?? ""}:${user.password ?? ""}`).toString("base64")}`)
}

/** A line break would end the header; it usually comes from a copied file. */
function checkedHeader(text: string, what: string): string {
  const trimmed = text.trim()
  if (/^[\x21-\x7e]+$/.test(trimmed)) return trimmed
  throw new PilothouseError("INVALID", `expected printable characters without spaces in ${what}, found others; copy it again`)
}

function certificateOf(
  user: UserEntry,
  options: CredentialsOptions,
  whose: string,
): (() => { certificate: string; key: string }) | undefined {
  const { name, from, clock } = options
  const pem = (field: "client-certificate" | "client-key") =>
    pemOf({ data: user[`${field}-data`], file: user[field], what: `${field} of user "${name}"`, from }, options)
  const [certificate, key] = [pem("client-certificate"), pem("client-key")]
  if (certificate === undefined && key === undefined) return undefined
  if (certificate === undefined || key === undefined) {
    const [has, lacks] = certificate === undefined ? ["client-key", "client-certificate"] : ["client-certificate", "client-key"]
    throw new PilothouseError("INVALID", `expected ${lacks} or ${lacks}-data beside the ${has} of ${whose}, found none; add it`)
  }
  checkClientCertificate({ certificate: certificate(), key: key(), whose, now: clock.now() })
  return () => ({ certificate: certificate(), key: key() })
}
