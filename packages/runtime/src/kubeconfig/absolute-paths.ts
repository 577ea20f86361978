import { dirname, resolve, sep } from "node:path"
import type { ClusterEntry, Kubeconfig, UserEntry } from "./types.ts"

/** Paths in a kubeconfig begin at its own directory. */
export function withAbsolutePaths(config: Kubeconfig, path: string): Kubeconfig {
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
  // A command without a slash is looked for in PATH.
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
