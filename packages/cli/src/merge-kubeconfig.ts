import { deepEqual } from "@pilothouse/api"
import { type Files, type Log, PilothouseError, readText } from "@pilothouse/seams"
import { stringify } from "yaml"
import { type Kubeconfig, ownName, writeOnlyForOwner } from "./kubeconfig.ts"
import { parseCredentials } from "./parse-credentials.ts"

/** Puts our entries into a kubeconfig that has others, which stay as they are. Returns a note for the user, or undefined. */
export function mergeKubeconfig(files: Files, path: string, config: Kubeconfig): string | undefined {
  const existing = readText(files, path)
  const merged = existing === undefined || existing.trim() === "" ? config : merge(readKubeconfig(existing, path), config)
  return writeOnlyForOwner(files, path, stringify(merged))
}

interface Renewed {
  readonly before: Kubeconfig
  readonly after: Kubeconfig
  readonly log: Log
}

/** Puts renewed credentials into each kubeconfig that a start has written, and warns of those that do not have the ones before any more. */
export function publishRenewed(files: Files, paths: readonly string[], { before, after, log }: Renewed): void {
  for (const path of paths) {
    if (!renewEntries(files, path, before, after))
      log.warn(`${path} does not have the credentials of this cluster any more, and is left as it is; the new ones are not in it`)
  }
}

/**
 * Replaces our cluster and user where they are as they were written, and changes nothing else: the user may have set a namespace or another context
 * meanwhile. False, and nothing is written, where neither is there: the user removed them, or another cluster is under our name by now.
 */
function renewEntries(files: Files, path: string, before: Kubeconfig, after: Kubeconfig): boolean {
  const text = readText(files, path)
  if (text === undefined) return false
  const existing = readKubeconfig(text, path)
  const [old, renewed] = [entriesOf(before), entriesOf(after)]
  const isOurs = (field: "clusters" | "users") => (existing[field] ?? []).some((entry) => deepEqual(entry, old[field]))
  if (!isOurs("clusters") || !isOurs("users")) return false
  const replaced = (field: "clusters" | "users") =>
    (existing[field] ?? []).map((entry) => (deepEqual(entry, old[field]) ? renewed[field] : entry))
  const written = { ...existing, clusters: replaced("clusters"), users: replaced("users") }
  writeOnlyForOwner(files, path, text.startsWith("{") ? `${JSON.stringify(written, undefined, 2)}\n` : stringify(written))
  return true
}

function entriesOf({ clusters, users }: Kubeconfig) {
  const own = <Entry extends { readonly name: string }>(entries: readonly Entry[]) => entries.find(({ name }) => name === ownName)
  return { clusters: own(clusters), users: own(users) }
}

function readKubeconfig(text: string, path: string): Partial<Kubeconfig> {
  const found = parseCredentials(text, path)
  if (typeof found === "object" && found !== null && !Array.isArray(found)) return found
  throw new PilothouseError("INVALID", `expected a kubeconfig in ${path}, found no map; mend or move the file, or leave --merge out`)
}

function merge(existing: Partial<Kubeconfig>, ours: Kubeconfig): Kubeconfig {
  const join = (field: "clusters" | "users" | "contexts") => [
    ...(existing[field] ?? []).filter((entry) => entry.name !== ownName),
    ...ours[field],
  ]
  return { ...existing, ...ours, clusters: join("clusters"), users: join("users"), contexts: join("contexts") }
}
