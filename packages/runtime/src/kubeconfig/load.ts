import { delimiter, dirname, join, resolve, sep } from "node:path"
import { type Files, PilothouseError, readText } from "@pilothouse/seams"
import { parseKubeconfig } from "./parse.ts"
import type { ClusterEntry, Environment, Kubeconfig, UserEntry } from "./types.ts"

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
