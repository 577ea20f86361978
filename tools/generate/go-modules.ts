import { spawnSync } from "node:child_process"
import { tmpdir } from "node:os"

const kubernetes = "1.36.3"
/** Staging modules of a release 1.x.y are published as 0.x.y. */
const staging = `v${kubernetes.replace(/^1/, "0")}`

const modules = {
  kubernetes: `k8s.io/kubernetes@v${kubernetes}`,
  api: `k8s.io/api@${staging}`,
  apimachinery: `k8s.io/apimachinery@${staging}`,
  metrics: `k8s.io/metrics@${staging}`,
  apiextensions: `k8s.io/apiextensions-apiserver@${staging}`,
  aggregator: `k8s.io/kube-aggregator@${staging}`,
} as const

/** The unpacked (read-only) directory of each module in Go's module cache. */
export type GoModules = Readonly<Record<keyof typeof modules, string>>

export interface GoModulesOptions {
  /** "cached" never goes to the network: absent modules are an error then. */
  readonly from?: "anywhere" | "cached"
}

/** Gets the upstream modules that everything here is read from. Throws with what Go said where one cannot be had. */
export function goModules(options: GoModulesOptions = {}): GoModules {
  const env = options.from === "cached" ? { ...process.env, GOPROXY: "off", GOSUMDB: "off" } : process.env
  const run = spawnSync("go", ["mod", "download", "-json", ...Object.values(modules)], { cwd: tmpdir(), env, encoding: "utf8" })
  if (run.error !== undefined) throw new Error(`go is needed to read the Kubernetes modules: ${run.error.message}`, { cause: run.error })
  const found = new Map(downloads(run.stdout).map((module) => [`${module.Path}@${module.Version}`, module]))
  const directories = Object.entries(modules).map(([name, wanted]) => [name, directoryOf(wanted, found.get(wanted), run.stderr)])
  return Object.fromEntries(directories) as GoModules
}

interface Download {
  readonly Path: string
  readonly Version: string
  readonly Dir?: string
  readonly Error?: string
}

/** Go prints one indented JSON object after another, without separators. */
function downloads(output: string): Download[] {
  return output
    .split(/^(?=\{)/m)
    .filter((part) => part.trim() !== "")
    .map((part) => JSON.parse(part) as Download)
}

function directoryOf(wanted: string, module: Download | undefined, stderr: string): string {
  if (module?.Dir !== undefined) return module.Dir
  throw new Error(`Go module ${wanted} cannot be had: ${module?.Error ?? stderr.trim()}`)
}
