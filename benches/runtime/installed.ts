import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import type { Bench, Row } from "../bench.ts"
import { withoutGoal } from "../beside.ts"

const root = join(import.meta.dirname, "..", "..")
const own = ["seams", "api", "runtime"] as const
const rounds = 10
const limit = 60
const theirs = "@kubernetes/client-node"

/** What does a user pay who installs the runtime and imports it, beside @kubernetes/client-node? The packages are built, packed and unpacked for this. */
export const bench: Bench = {
  name: "the installed runtime: import time and size, beside @kubernetes/client-node",
  async run({ peers, prepared }): Promise<readonly Row[]> {
    const folder = mkdtempSync(join(tmpdir(), "pilothouse-installed-"))
    try {
      if (!prepared) buildOwn()
      install(folder)
      return [...importRows(folder, peers), sizeRow(folder, peers)]
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
}

/** Builds the packages that are installed here. */
export function buildOwn(): void {
  execFileSync("npm", ["run", "build", "--", ...own], { cwd: root, stdio: "ignore" })
}

/** As npm would: our tarballs unpacked; the others, which our tree has at the same versions, by links. */
function install(folder: string): void {
  const npm = (args: readonly string[], cwd = root) =>
    execFileSync("npm", [...args], { cwd, stdio: ["ignore", "pipe", "ignore"], encoding: "utf8" })
  for (const name of own) {
    const home = join(folder, "node_modules", "@pilothouse", name)
    mkdirSync(home, { recursive: true })
    const [{ filename }]: [{ filename: string }] = JSON.parse(
      npm(["pack", "--json", "--ignore-scripts", "--pack-destination", folder], join(root, "packages", name)),
    )
    execFileSync("tar", ["-xzf", join(folder, filename), "-C", home, "--strip-components=1"])
  }
  for (const path of [...closure(dependenciesOf(folder), root)].filter((one) => dirname(one).endsWith("node_modules"))) {
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length)
    symlinkSync(path, join(folder, "node_modules", name))
  }
}

function dependenciesOf(folder: string): readonly string[] {
  const homes = own.map((name) => join(folder, "node_modules", "@pilothouse", name))
  return homes.flatMap((home) => Object.keys(manifestOf(home).dependencies ?? {})).filter((name) => !name.startsWith("@pilothouse/"))
}

function importRows(folder: string, peers: boolean): readonly Row[] {
  const sources = ["--conditions=@pilothouse/source", "--disable-warning=ExperimentalWarning"]
  const cases = [
    { what: "import of @pilothouse/runtime as installed", specifier: "@pilothouse/runtime", cwd: folder, flags: [] as string[], limit },
    { what: "import of @pilothouse/runtime from sources", specifier: "@pilothouse/runtime", cwd: join(root, "benches"), flags: sources },
    ...(peers ? [{ what: theirs, specifier: theirs, cwd: join(root, "benches"), flags: [] }] : []),
  ].map((one) => ({ ...one, best: Number.POSITIVE_INFINITY }))
  // No compile cache: what a process pays at its very first start.
  for (let round = 0; round < rounds; round++) for (const one of cases) one.best = Math.min(one.best, importTime(one))
  const peer = peers ? cases.at(-1)!.best : undefined
  return cases.slice(0, 2).map(({ what, best, limit: max }) => {
    const row = withoutGoal(`${what}; theirs: client-node`, "ms of CPU", { ours: best, theirs: peer })
    return max === undefined ? row : { ...row, goal: `≤ ${max}`, met: best <= max }
  })
}

/** Milliseconds of CPU, which a busy machine does not change much. Measured inside the new process: how long Node itself takes to start is not ours. */
function importTime({
  specifier,
  cwd,
  flags,
}: {
  readonly specifier: string
  readonly cwd: string
  readonly flags: readonly string[]
}): number {
  const program = `const start = process.cpuUsage(); await import(${JSON.stringify(specifier)}); const { user, system } = process.cpuUsage(start); console.log((user + system) / 1000)`
  const { NODE_COMPILE_CACHE: _, ...environment } = process.env
  const env = { ...environment, NODE_OPTIONS: "" }
  return Number(execFileSync(process.execPath, [...flags, "--input-type=module", "-e", program], { cwd, env, encoding: "utf8" }))
}

function sizeRow(folder: string, peers: boolean): Row {
  const packages = own.map((name) => join(folder, "node_modules", "@pilothouse", name))
  const ours = [...packages, ...closure(dependenciesOf(folder), root)].reduce((sum, path) => sum + bytesOf(path), 0) / 1e6
  const peer = peers ? [...closure([theirs], root)].reduce((sum, path) => sum + bytesOf(path), 0) / 1e6 : undefined
  return withoutGoal("installed, with all it depends on; theirs: client-node", "MB", { ours, theirs: peer })
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>
}

function manifestOf(home: string): Manifest {
  return JSON.parse(readFileSync(join(home, "package.json"), "utf8"))
}

/** The folders of packages and of all that they depend on, found as Node finds them. */
function closure(names: readonly string[], from: string, found: Set<string> = new Set()): ReadonlySet<string> {
  for (const name of names) {
    const home = find(name, from)
    if (home === undefined || found.has(home)) continue
    found.add(home)
    closure(Object.keys(manifestOf(home).dependencies ?? {}), home, found)
  }
  return found
}

function find(name: string, from: string): string | undefined {
  const here = join(from, "node_modules", name)
  if (existsSync(join(here, "package.json"))) return here
  return from === dirname(from) ? undefined : find(name, dirname(from))
}

/** Without what is installed inside it: those are packages of their own. */
function bytesOf(folder: string): number {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name)
    if (entry.name === "node_modules") return sum
    return sum + (entry.isDirectory() ? bytesOf(path) : statSync(path).size)
  }, 0)
}
