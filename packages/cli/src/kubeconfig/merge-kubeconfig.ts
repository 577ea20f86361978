import { deepEqual } from "@pilothouse/api"
import { type Files, type Log, messageOf, PilothouseError, readText } from "@pilothouse/seams"
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
  /** Those that may be in the files: all since the start. A file that could not be written for a while has an older one than others. */
  readonly issued: readonly Kubeconfig[]
  readonly after: Kubeconfig
  readonly log: Log
}

/**
 * Puts renewed credentials into each kubeconfig that a start has written, and warns of those that have none of the issued ones any more. A file that
 * cannot be read or written does not keep the others from theirs: it throws when all were tried, and may be called again.
 */
export function publishRenewed(files: Files, paths: readonly string[], { issued, after, log }: Renewed): void {
  const failures: string[] = []
  for (const path of paths) {
    try {
      if (!renewEntries(files, path, issued, after))
        log.warn(`${path} does not have the credentials of this cluster any more, and is left as it is; the new ones are not in it`)
    } catch (error) {
      failures.push(messageOf(error))
    }
  }
  if (failures.length > 0) throw new PilothouseError("FILE", failures.join("; "))
}

/**
 * Replaces our cluster and user where they are as they were written, and changes nothing else: the user may have set a namespace or another context
 * meanwhile. False, and nothing is written, where neither is there: the user removed them, or another cluster is under our name by now.
 */
function renewEntries(files: Files, path: string, issued: readonly Kubeconfig[], after: Kubeconfig): boolean {
  const text = readText(files, path)
  if (text === undefined) return false
  const existing = readKubeconfig(text, path)
  const [known, renewed] = [[...issued, after].map(entriesOf), entriesOf(after)]
  const isOurs = (field: Field, entry: unknown) => known.some((one) => deepEqual(entry, one[field]))
  const has = (field: Field) => (existing[field] ?? []).some((entry) => isOurs(field, entry))
  if (!has("clusters") || !has("users")) return false
  const replaced = (field: Field) => (existing[field] ?? []).map((entry) => (isOurs(field, entry) ? renewed[field] : entry))
  const written = { ...existing, clusters: replaced("clusters"), users: replaced("users") }
  if (deepEqual(written, existing)) return true
  writeOnlyForOwner(files, path, text.startsWith("{") ? `${JSON.stringify(written, undefined, 2)}\n` : stringify(written))
  return true
}

type Field = "clusters" | "users"

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
