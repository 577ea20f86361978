// npm run test:envtest: envtest of controller-runtime starts `pilothouse apiserver`, and a Go program works with a custom kind. With
// `-- controller-runtime` the suites of controller-runtime's own packages run instead; with `-- apply` a program that applies configurations, beside a
// real API server. Needs Go and its module proxy.
import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { needsKubernetes } from "../real/needs-kubernetes.ts"
import { Tally } from "../real/tally.ts"
import { compareApply } from "./apply.ts"
import { runSuites } from "./controller-runtime.ts"
import { controllerRuntime, type Go, goWith } from "./go.ts"

const root = join(import.meta.dirname, "..", "..")
const [suite = "story", ...others] = process.argv.slice(2)
const directory = mkdtempSync(join(tmpdir(), "pilothouse-envtest-"))
try {
  const suites: Readonly<Record<string, () => Promise<number>>> = {
    story: async () => runStory(),
    "controller-runtime": theirSuites,
    apply: beside,
  }
  const run = others.length === 0 ? suites[suite] : undefined
  if (run === undefined) console.error(`expected controller-runtime, apply or nothing, found ${[suite, ...others].join(" ")}`)
  process.exitCode = run === undefined ? 2 : await run()
} finally {
  rmSync(directory, { recursive: true })
}

function writtenAssets(): string {
  const assets = join(directory, "assets")
  const program = join(root, "packages/cli/bin/pilothouse.js")
  const { status, stderr } = spawnSync(process.execPath, [program, "envtest-assets", assets], { encoding: "utf8" })
  if (status !== 0) throw new Error(`envtest-assets ended with ${status}: ${stderr}`)
  return assets
}

async function theirSuites(): Promise<number> {
  const tally = new Tally(console.log)
  await runSuites(tally, goWith({}), writtenAssets(), directory)
  console.log(String(tally))
  return tally.failed === 0 && tally.passed > 0 ? 0 : 1
}

async function beside(): Promise<number> {
  const tally = new Tally(console.log)
  const reason = needsKubernetes()
  if (reason === undefined) await compareApply(tally, goWith({ GOFLAGS: "" }), directory)
  else tally.skip("apply", reason)
  console.log(String(tally))
  return tally.failed === 0 ? 0 : 1
}

function runStory(): number {
  const module = join(directory, "module")
  const go = goWith({ GOFLAGS: "", KUBEBUILDER_ASSETS: writtenAssets(), CRDS: join(import.meta.dirname, "crds") })
  writeModule(module)
  const tidied = go(["mod", "tidy"], module)
  if (tidied.status !== 0) return failed(`go mod tidy: ${tidied.error?.message ?? tidied.stderr}; install Go and check GOPROXY`)
  return told(go(["test", "-count=1", "-v", "./..."], module))
}

function told({ stdout, stderr, status }: ReturnType<Go>): number {
  const lines = stdout.split("\n")
  const passed = lines.filter((line) => line.startsWith("--- PASS")).length
  const broken = lines.filter((line) => line.startsWith("--- FAIL")).length
  if (status !== 0 || passed === 0) console.log(`${stdout}\n${stderr}`)
  const isBroken = broken > 0 || status !== 0
  console.log(`${passed} passed, ${isBroken ? Math.max(1, broken) : 0} failed`)
  return isBroken || passed === 0 ? 1 : 0
}

function writeModule(path: string): void {
  mkdirSync(path)
  copyFileSync(join(import.meta.dirname, "envtest_test.go"), join(path, "envtest_test.go"))
  writeFileSync(
    join(path, "go.mod"),
    `module example.com/envtest\n\ngo 1.25.0\n\nrequire sigs.k8s.io/controller-runtime ${controllerRuntime}\n`,
  )
}

function failed(reason: string): number {
  console.log(`${reason}\n0 passed, 1 failed`)
  return 1
}
