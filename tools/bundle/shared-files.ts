import type { OutputChunk } from "rolldown"

/** Asked for by their names as soon as a command talks to a cluster elsewhere. */
const connection = ["/runtime/src/kubeconfig/connect.ts", "/runtime/src/http/http-transport.ts"]

/** What a start counts for, and what it begins with: those that run for long, one of those that read a cluster, and one that needs next to nothing. */
const commands = [
  { name: "up", later: [] },
  { name: "run", later: connection },
  { name: "apiserver", later: [] },
  { name: "discovery", later: connection },
  { name: "get", later: connection },
  { name: "version", later: [] },
].map(({ name, later }) => [`/cli/src/commands/${name}.ts`, ...later])

/** Loaded before any command. */
const program = "/cli/src/program.ts"

/** Of what the bundler makes by itself: a file, what is in it, what it asks for, and whether others ask for it by its name. */
export type Part = Pick<OutputChunk, "fileName" | "moduleIds" | "imports" | "isEntry" | "isDynamicEntry">

/**
 * Puts what the same commands load into one file; says for each source into which, null where it stays. The bundler makes a file for every set of
 * places that can ask for a source: 38 for an API server. To find so many keeps Node's loader busy until V8 optimises it, and the optimising compiler
 * takes 6 MB (docs/benchmarks.md). What a file asks for is loaded by at least the same commands, so no two ask for each other.
 *
 * What it buys: 1.5 MB of an API server's 76 and 40 ms of CPU of 210 (benches/apiserver.ts, the row "memory after the start", goal ≤ 0.25 × upstream's;
 * without it and without as-ascii.ts 0.27).
 */
export function sharedFiles(parts: readonly Part[]): (source: string) => string | null {
  const loaded = commands.map((roots) => loadedBy(roots, parts))
  const fileOf = new Map<string, string>()
  for (const { fileName, moduleIds, isEntry, isDynamicEntry } of parts) {
    if (isEntry || isDynamicEntry) continue
    const users = loaded.map((files) => (files.has(fileName) ? "1" : "0")).join("")
    if (users.includes("1")) for (const source of moduleIds) fileOf.set(source, `shared-${users}`)
  }
  return (source) => fileOf.get(source) ?? null
}

function loadedBy(roots: readonly string[], parts: readonly Part[]): ReadonlySet<string> {
  const byName = new Map(parts.map((part) => [part.fileName, part]))
  const files = new Set<string>()
  const add = (name: string) => {
    const part = byName.get(name)
    // What is not ours is a module of Node.
    if (part === undefined || files.has(name)) return
    files.add(name)
    part.imports.forEach(add)
  }
  const isRoot = (source: string) => [...roots, program].some((root) => source.endsWith(root))
  for (const { fileName, moduleIds } of parts) if (moduleIds.some(isRoot)) add(fileName)
  return files
}
