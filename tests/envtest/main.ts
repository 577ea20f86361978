// envtest of controller-runtime starts `pilothouse apiserver`, and a Go program works with a custom kind: npm run test:envtest. Needs Go and its module proxy.
import { spawnSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const root = join(import.meta.dirname, "..", "..")
const controllerRuntime = "v0.25.2"
/** Milliseconds; a first run compiles client-go. */
const patience = 30 * 60_000

const directory = mkdtempSync(join(tmpdir(), "pilothouse-envtest-"))
try {
  process.exitCode = run()
} finally {
  rmSync(directory, { recursive: true })
}

function run(): number {
  const assets = join(directory, "assets")
  const module = join(directory, "module")
  const written = spawnSync(process.execPath, [join(root, "packages/cli/bin/pilothouse.js"), "envtest-assets", assets], {
    encoding: "utf8",
  })
  if (written.status !== 0) return failed(`envtest-assets ended with ${written.status}: ${written.stderr}`)
  writeModule(module)
  const environment = { ...process.env, GOWORK: "off", GOFLAGS: "", KUBEBUILDER_ASSETS: assets, CRDS: join(import.meta.dirname, "crds") }
  const go = (...words: readonly string[]) =>
    spawnSync("go", words, { cwd: module, env: environment, encoding: "utf8", timeout: patience, maxBuffer: 64 * 1024 * 1024 })
  const tidied = go("mod", "tidy")
  if (tidied.status !== 0) return failed(`go mod tidy: ${tidied.error?.message ?? tidied.stderr}; install Go and check GOPROXY`)
  const tested = go("test", "-count=1", "-v", "./...")
  const lines = tested.stdout.split("\n")
  const passed = lines.filter((line) => line.startsWith("--- PASS")).length
  const broken = lines.filter((line) => line.startsWith("--- FAIL")).length
  if (tested.status !== 0 || passed === 0) console.log(`${tested.stdout}\n${tested.stderr}`)
  const isBroken = broken > 0 || tested.status !== 0
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
