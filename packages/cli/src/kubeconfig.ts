import { type Files, PilothouseError, readText } from "@pilothouse/seams"
import { parse, stringify } from "yaml"

export interface KubeconfigFacts {
  readonly server: string
  readonly ca: string
  readonly certificate: string
  readonly key: string
}

interface NamedEntry {
  readonly name: string
  readonly [field: string]: unknown
}

interface Kubeconfig {
  readonly apiVersion: "v1"
  readonly kind: "Config"
  readonly clusters: readonly NamedEntry[]
  readonly users: readonly NamedEntry[]
  readonly contexts: readonly NamedEntry[]
  readonly "current-context": string
}

/** The name of our cluster, user and context. */
const name = "pilothouse"

export function kubeconfig({ server, ca, certificate, key }: KubeconfigFacts): Kubeconfig {
  return {
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name, cluster: { server, "certificate-authority-data": base64(ca) } }],
    users: [{ name, user: { "client-certificate-data": base64(certificate), "client-key-data": base64(key) } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
    "current-context": name,
  }
}

/** A file of its own: holds a private key, so nobody else may read it. */
export function writeKubeconfig(files: Files, path: string, config: Kubeconfig): void {
  files.write(path, stringify(config), { mode: 0o600 })
}

/** Puts our entries into a kubeconfig that has others, which stay as they are. */
export function mergeKubeconfig(files: Files, path: string, config: Kubeconfig): void {
  const existing = readText(files, path)
  const merged = existing === undefined || existing.trim() === "" ? config : merge(readKubeconfig(existing, path), config)
  files.write(path, stringify(merged), { mode: 0o600 })
}

function readKubeconfig(text: string, path: string): Partial<Kubeconfig> {
  const found: unknown = parse(text)
  if (typeof found === "object" && found !== null && !Array.isArray(found)) return found
  throw new PilothouseError(
    "INVALID",
    `expected a kubeconfig in ${path}, found ${JSON.stringify(text.slice(0, 60))}; mend or move the file, or leave --merge out`,
  )
}

function merge(existing: Partial<Kubeconfig>, ours: Kubeconfig): Kubeconfig {
  const join = (field: "clusters" | "users" | "contexts") => [
    ...(existing[field] ?? []).filter((entry) => entry.name !== name),
    ...ours[field],
  ]
  return { ...existing, ...ours, clusters: join("clusters"), users: join("users"), contexts: join("contexts") }
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64")
}
