import type { Files } from "@pilothouse/seams"

export type KubeconfigFacts = {
  readonly server: string
  readonly ca: string
} & Credentials

type Credentials = { readonly certificate: string; readonly key: string } | { readonly token: string }

interface NamedEntry {
  readonly name: string
  readonly [field: string]: unknown
}

export interface Kubeconfig {
  readonly apiVersion: "v1"
  readonly kind: "Config"
  readonly clusters: readonly NamedEntry[]
  readonly users: readonly NamedEntry[]
  readonly contexts: readonly NamedEntry[]
  readonly "current-context": string
}

/** The name of our cluster, user and context. */
export const ownName = "pilothouse"

/** Returns a kubeconfig of one cluster, one user and one context. */
export function kubeconfig({ server, ca, ...credentials }: KubeconfigFacts): Kubeconfig {
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: ownName, cluster: { server, "certificate-authority-data": base64(ca) } }],
    users: [{ name: ownName, user: userOf(credentials) }],
    contexts: [{ name: ownName, context: { cluster: ownName, user: ownName } }],
    "current-context": ownName,
  }
}

function userOf(credentials: Credentials): Readonly<Record<string, string>> {
  if ("token" in credentials) return { token: credentials.token }
  return { "client-certificate-data": base64(credentials.certificate), "client-key-data": base64(credentials.key) }
}

/** Writes a file of its own. JSON is YAML: a start does not load a library for it. Returns a note for the user, or undefined. */
export function writeKubeconfig(files: Files, path: string, config: Kubeconfig): string | undefined {
  return writeOnlyForOwner(files, path, `${JSON.stringify(config, undefined, 2)}\n`)
}

/**
 * Writes a file that holds a private key or a token, so that only its owner may read it whatever its mode was before. A link stays a link: users keep
 * their kubeconfig among other files. Returns a note for the user where others could read the file before, else undefined.
 */
export function writeOnlyForOwner(files: Files, path: string, text: string): string | undefined {
  const before = files.facts(path)?.mode ?? 0o600
  files.write(path, text, { mode: 0o600, followLink: true })
  if ((before & 0o077) === 0) return undefined
  return `${path} was open to other users (mode ${before.toString(8)}); it holds credentials of an administrator, so its mode is ${(before & 0o600).toString(8)} now`
}

/** The line for a shell to use it: to be copied as it stands, whatever the path has in it. */
export function exportLine(path: string): string {
  return `export KUBECONFIG=${/^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`}`
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64")
}
