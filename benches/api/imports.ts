// Import times, each in a new process with a warm compile cache: what a program pays at every start but its first.
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Bench, Row } from "../bench.ts"

export const imports: Bench = {
  name: "what an import costs, beside @kubernetes/client-node",
  run: async ({ peers }) => inCache((cache) => rows(cache, peers)),
}

const root = join(import.meta.dirname, "..", "..")
const rounds = 20

interface Imported {
  readonly what: string
  readonly specifier: string
  readonly limit?: number
}

const ours: readonly Imported[] = [
  { what: "one kind", specifier: "@pilothouse/api/apps/v1", limit: 5 },
  { what: "all descriptors", specifier: "@pilothouse/api/descriptors", limit: 15 },
  { what: "everything in the index", specifier: "@pilothouse/api" },
]
const theirs = "@kubernetes/client-node"

/** TypeScript as it stands in the tree, and JavaScript as it is published, where `npm run build` was run. */
function forms(): readonly { readonly name: string; readonly flags: readonly string[] }[] {
  const sources = { name: "sources", flags: ["--conditions=@pilothouse/source", "--disable-warning=ExperimentalWarning"] }
  const built =
    existsSync(join(root, "packages", "api", "dist", "index.js")) && existsSync(join(root, "packages", "seams", "dist", "index.js"))
  return built ? [sources, { name: "dist", flags: [] }] : [sources]
}

function rows(cache: string, peers: boolean): readonly Row[] {
  const cases = forms().flatMap(({ name, flags }) =>
    ours.map((one) => ({ ...one, what: `import of ${one.what}, ${name}`, flags, best: Number.POSITIVE_INFINITY })),
  )
  let theirBest = Number.POSITIVE_INFINITY
  // The first round fills the cache and does not count.
  for (let round = 0; round <= rounds; round++) {
    for (const one of cases) {
      const time = timeOf(one.specifier, one.flags, cache)
      if (round > 0) one.best = Math.min(one.best, time)
    }
    if (!peers) continue
    const theirTime = timeOf(theirs, [], cache)
    if (round > 0) theirBest = Math.min(theirBest, theirTime)
  }
  return cases.map(({ what, best, limit }) => {
    const own = { what: `${what} (theirs: ${theirs})`, ours: best, unit: "ms" }
    const row = peers ? { ...own, theirs: theirBest } : own
    return limit === undefined ? row : { ...row, goal: `≤ ${limit} ms`, met: best <= limit }
  })
}

/** Measured inside the new process: how long Node itself takes to start is not ours. */
function timeOf(specifier: string, flags: readonly string[], cache: string): number {
  const program = `const start = performance.now(); await import(${JSON.stringify(specifier)}); console.log(performance.now() - start)`
  const environment = { ...process.env, NODE_COMPILE_CACHE: cache, NODE_OPTIONS: "" }
  return Number(
    execFileSync(process.execPath, [...flags, "--input-type=module", "-e", program], { cwd: root, env: environment, encoding: "utf8" }),
  )
}

/** So that the rows of dist are those of the sources. */
export async function buildForImports(): Promise<void> {
  execFileSync(process.execPath, ["tools/run.js", "tools/build/main.ts", "seams", "api"], { cwd: root, stdio: "ignore" })
}

function inCache<T>(run: (directory: string) => T): T {
  const directory = mkdtempSync(join(tmpdir(), "pilothouse-compile-cache-"))
  try {
    return run(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}
