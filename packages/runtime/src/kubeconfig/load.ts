import { delimiter, dirname, join, resolve, sep } from "node:path"
import { type Files, PilothouseError, readText, withoutSecrets } from "@pilothouse/seams"
import type { ClusterEntry, Environment, Kubeconfig, UserEntry } from "./types.ts"

/** Characters of one file. A cluster with its user has some 8,000. */
const maxLength = 2 * 1024 * 1024

/**
 * Characters of YAML's syntax in one file: the library takes tens of microseconds for what stands between two, and so seconds for 2 Mi characters of short
 * lines. A cluster with its user and context has some 60; certificates and keys, which are most of a file, have none.
 */
const maxSyntax = 20_000
const syntax: ReadonlySet<number> = new Set(Array.from("\n,[{-:?&*!#'\"", (character) => character.charCodeAt(0)))

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

export interface LoadOptions {
  readonly files: Files
  readonly environment: Environment
  /** This file and no other. */
  readonly path?: string
}

/** Loads the files that kubectl would read: the given one, those in KUBECONFIG, or ~/.kube/config. Undefined when there is none. */
export async function loadKubeconfig({ files, environment, path }: LoadOptions): Promise<Kubeconfig | undefined> {
  if (path !== undefined) {
    const config = await readKubeconfig(files, resolve(path))
    if (config === undefined) throw new PilothouseError("FILE", `expected a kubeconfig at ${resolve(path)}, found no file; check the path`)
    return config
  }
  const found: Kubeconfig[] = []
  for (const candidate of kubeconfigPaths(environment)) {
    const config = await readKubeconfig(files, candidate)
    // A missing file is ignored, as by kubectl: the same KUBECONFIG serves several machines.
    if (config !== undefined) found.push(config)
  }
  return found.length === 0 ? undefined : mergeKubeconfigs(found)
}

/** The paths to try, in order, each once. */
export function kubeconfigPaths(environment: Environment): readonly string[] {
  const listed = environment.KUBECONFIG
  if (listed) return [...new Set(listed.split(delimiter).filter((path) => path !== ""))].map((path) => resolve(path))
  const home = environment.HOME || environment.USERPROFILE
  return home ? [join(home, ".kube", "config")] : []
}

async function readKubeconfig(files: Files, path: string): Promise<Kubeconfig | undefined> {
  const text = readText(files, path)
  return text === undefined ? undefined : withAbsolutePaths(await parseKubeconfig(text, path), path)
}

/**
 * Merges several files as kubectl does: the first file that has a cluster, user, context or current-context of a name decides it,
 * and nothing of a later entry of that name is used.
 */
function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  return {
    clusters: mergeByName(configs.map(({ clusters }) => clusters)),
    users: mergeByName(configs.map(({ users }) => users)),
    contexts: mergeByName(configs.map(({ contexts }) => contexts)),
    currentContext: configs.find(({ currentContext }) => currentContext !== undefined)?.currentContext,
    from: configs.flatMap(({ from }) => from),
  }
}

function mergeByName<Entry>(maps: readonly ReadonlyMap<string, Entry>[]): ReadonlyMap<string, Entry> {
  const merged = new Map<string, Entry>()
  for (const [name, entry] of maps.flatMap((map) => [...map])) if (!merged.has(name)) merged.set(name, entry)
  return merged
}

/** Paths in a kubeconfig are relative to its own directory. */
function withAbsolutePaths(config: Kubeconfig, path: string): Kubeconfig {
  const from = (relative: string) => resolve(dirname(path), relative)
  return {
    ...config,
    clusters: mapValues(
      config.clusters,
      (cluster): ClusterEntry => ({ ...cluster, ...absolute(cluster, ["certificate-authority"], from) }),
    ),
    users: mapValues(config.users, (user) => absoluteUser(user, from)),
  }
}

function absoluteUser(user: UserEntry, from: (relative: string) => string): UserEntry {
  const { exec } = user
  // A command without a slash is searched in PATH.
  const command = exec?.command?.includes(sep) ? from(exec.command) : exec?.command
  return {
    ...user,
    ...absolute(user, ["client-certificate", "client-key", "tokenFile"], from),
    ...(exec && { exec: { ...exec, command } }),
  }
}

function absolute<Entry, Field extends keyof Entry>(
  entry: Entry,
  fields: readonly Field[],
  from: (relative: string) => string,
): Partial<Entry> {
  const given = fields.filter((field) => entry[field])
  return Object.fromEntries(given.map((field) => [field, from(String(entry[field]))])) as Partial<Entry>
}

function mapValues<Entry>(map: ReadonlyMap<string, Entry>, change: (entry: Entry) => Entry): ReadonlyMap<string, Entry> {
  return new Map([...map].map(([name, entry]) => [name, change(entry)]))
}

/** The cluster, user and namespace of a context. */
export interface ResolvedContext {
  readonly context: string
  readonly clusterName: string
  readonly cluster: ClusterEntry
  readonly userName: string
  readonly user: UserEntry
  readonly namespace: string
}

/** Returns the cluster and the user of a context; of the current one by default. */
export function resolveContext(config: Kubeconfig, requested?: string): ResolvedContext {
  const from = config.from.join(", ")
  const name = requested ?? config.currentContext
  if (name === undefined) {
    throw new PilothouseError(
      "INVALID",
      `expected a current-context in ${from}, found none; choose a context (${namesIn(config.contexts)})`,
    )
  }
  const context = config.contexts.get(name)
  if (context === undefined) {
    throw new PilothouseError(
      "INVALID",
      `expected a context of ${from} (${namesIn(config.contexts)}), found "${name}"; choose one of these`,
    )
  }
  const { cluster: clusterName = "", user: userName = "", namespace = "default" } = context
  const cluster = config.clusters.get(clusterName)
  if (cluster === undefined) throw missing("cluster", clusterName, name, from, config.clusters)
  const user = userName === "" ? {} : config.users.get(userName)
  if (user === undefined) throw missing("user", userName, name, from, config.users)
  return { context: name, clusterName, cluster, userName, user, namespace: namespace || "default" }
}

function missing(what: string, found: string, context: string, from: string, known: ReadonlyMap<string, unknown>): PilothouseError {
  const words = found === "" ? "none" : `"${found}"`
  return new PilothouseError(
    "INVALID",
    `expected a ${what} of ${from} (${namesIn(known)}) in context "${context}", found ${words}; correct the context, or add the ${what}`,
  )
}

function namesIn(map: ReadonlyMap<string, unknown>): string {
  return map.size === 0 ? "there are none" : [...map.keys()].join(", ")
}

type Fields = Readonly<Record<string, unknown>>

/** Parses one file. Errors name the place, and never show a value that may be a secret. */
async function parseKubeconfig(text: string, path: string): Promise<Kubeconfig> {
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
