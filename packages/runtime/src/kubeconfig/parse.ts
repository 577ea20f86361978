import { PilothouseError, withoutSecrets } from "@pilothouse/seams"
import type { Kubeconfig } from "./types.ts"

type Fields = Readonly<Record<string, unknown>>

/** Parses one file. Errors name the place, and never show a value that may be a secret. */
export async function parseKubeconfig(text: string, path: string): Promise<Kubeconfig> {
  const root = await readYaml(text, path)
  if (root.kind !== undefined && root.kind !== "Config") {
    throw new PilothouseError("INVALID", `expected kind "Config" in ${path}, found ${JSON.stringify(root.kind)}; this is not a kubeconfig`)
  }
  const current = root["current-context"]
  if (current !== undefined && current !== null && typeof current !== "string") {
    throw new PilothouseError("INVALID", `expected text in current-context in ${path}, found ${valueType(current)}; put it in quotes`)
  }
  return {
    clusters: entries(root, { list: "clusters", entry: "cluster", path, fields: clusterFields }),
    users: entries(root, { list: "users", entry: "user", path, fields: userFields }),
    contexts: entries(root, { list: "contexts", entry: "context", path, fields: contextFields }),
    currentContext: current || undefined,
    from: [path],
  }
}

/** Characters of one file. A cluster with its user has some 8,000. */
const maxLength = 2 * 1024 * 1024

/**
 * Characters of YAML's syntax in one file: the library takes tens of microseconds for what stands between two, and so seconds for 2 Mi characters of short
 * lines. A cluster with its user and context has some 60; certificates and keys, which are most of a file, have none.
 */
const maxSyntax = 20_000
const syntax: ReadonlySet<number> = new Set(Array.from("\n,[{-:?&*!#'\"", (character) => character.charCodeAt(0)))

/** The YAML library is loaded on demand: a pod does not need it. */
async function readYaml(text: string, path: string): Promise<Fields> {
  if (text.length > maxLength)
    throw new PilothouseError(
      "INVALID",
      `expected a kubeconfig of at most ${maxLength} characters in ${path}, found ${text.length}; keep only what is used, or give several files in KUBECONFIG`,
    )
  if (syntaxCount(text) > maxSyntax)
    throw new PilothouseError(
      "INVALID",
      `expected a kubeconfig of at most ${maxSyntax} line ends and other syntax in ${path}, found more; keep only what is used, or give several files in KUBECONFIG`,
    )
  const { parse } = await import("yaml")
  // Of keys that stand twice the last counts, as in kubectl; to look for them takes the library quadratic time.
  const found = withoutSecrets(path, () => parse(text, { logLevel: "error", uniqueKeys: false }))
  if (found === null || found === undefined) return {}
  if (isFields(found)) return found
  throw new PilothouseError("INVALID", `expected a kubeconfig in ${path}, found ${valueType(found)}; check the path`)
}

function syntaxCount(text: string): number {
  let count = 0
  for (let at = 0; at < text.length; at++) if (syntax.has(text.charCodeAt(at))) count++
  return count
}

interface Section {
  readonly list: string
  readonly entry: string
  readonly path: string
  readonly fields: Readonly<Record<string, string>>
}

function entries<Entry>(root: Fields, section: Section): ReadonlyMap<string, Entry> {
  const { list, entry, path } = section
  const items = root[list] ?? []
  if (!Array.isArray(items))
    throw new PilothouseError("INVALID", `expected a list in ${list} in ${path}, found ${valueType(items)}; correct the file`)
  const found = new Map<string, Entry>()
  for (const [index, item] of items.entries()) {
    const place = `${list}[${index}]`
    if (!isFields(item) || typeof item.name !== "string" || item.name === "") {
      throw new PilothouseError("INVALID", `expected a name in ${place} in ${path}, found none; add it`)
    }
    if (found.has(item.name))
      throw new PilothouseError("INVALID", `expected each name once in ${list} in ${path}, found "${item.name}" twice; remove one`)
    const value = item[entry] ?? {}
    if (!isFields(value))
      throw new PilothouseError("INVALID", `expected fields in ${place}.${entry} in ${path}, found ${valueType(value)}; correct the file`)
    checkFields(value, section.fields, `${place}.${entry}`, path)
    found.set(item.name, value as Entry)
  }
  return found
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
}

/** The expected type of each known field: text, true or false, a list, or fields (a mapping). Unknown fields are ignored. */
const clusterFields = {
  server: "text",
  "certificate-authority": "text",
  "certificate-authority-data": "text",
  "tls-server-name": "text",
  "insecure-skip-tls-verify": "true or false",
  "proxy-url": "text",
  extensions: "a list",
} as const

const userFields = {
  "client-certificate": "text",
  "client-certificate-data": "text",
  "client-key": "text",
  "client-key-data": "text",
  token: "text",
  tokenFile: "text",
  username: "text",
  password: "text",
  as: "text",
  "as-uid": "text",
  "as-groups": "a list",
  "as-user-extra": "fields",
  "auth-provider": "fields",
  exec: "fields",
} as const

const contextFields = { cluster: "text", user: "text", namespace: "text" } as const

/** Throws for a field of another type. A password of digits is a number in YAML: refused, as in Kubernetes, because 0123 and 83 would be the same. */
function checkFields(
  value: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, string>>,
  place: string,
  path: string,
): void {
  for (const [name, expected] of Object.entries(fields)) {
    const found = value[name]
    if (found === undefined || found === null || valueType(found) === expected) continue
    const hint = expected === "text" ? "put it in quotes" : "correct the file"
    throw new PilothouseError("INVALID", `expected ${expected} in ${place}.${name} in ${path}, found ${valueType(found)}; ${hint}`)
  }
}

/** Returns the type of a value, for messages. */
function valueType(value: unknown): string {
  if (typeof value === "string") return "text"
  if (typeof value === "boolean") return "true or false"
  if (Array.isArray(value)) return "a list"
  return typeof value === "object" ? "fields" : `a ${typeof value}`
}
