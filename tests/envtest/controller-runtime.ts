// The suites of controller-runtime's own packages, unchanged, with Pilothouse in the place of kube-apiserver and etcd.
import { spawnSync } from "node:child_process"
import { chmodSync, cpSync, globSync, mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { binary } from "../../tools/components/index.ts"
import type { Tally } from "../real/tally.ts"
import { controllerRuntime, type Go } from "./go.ts"

const packages = ["envtest", "client"]
const programs = ["kube-apiserver", "etcd", "kubectl"]
/** Milliseconds of one suite; the slowest takes a minute with kube-apiserver. */
const patience = 10 * 60_000

interface Spec {
  readonly name: string
  readonly state: string
  readonly message: string
}

/** Each spec is a case: it passes on `assets`, or it does not pass on a real kube-apiserver in the same run either. */
export async function runSuites(tally: Tally, go: Go, assets: string, directory: string): Promise<void> {
  const module = copyModule(go, join(directory, "controller-runtime"))
  const real = realAssets(join(directory, "real"))
  for (const name of packages) {
    const folder = join(module, "pkg", name)
    const compiled = go(["test", "-c", "-o", join(folder, "suite.test"), `./pkg/${name}`], module)
    if (compiled.status !== 0) throw new Error(`go test -c ./pkg/${name}: ${compiled.stderr}`)
    await tally.group(`pkg/${name} of controller-runtime ${controllerRuntime}`, async (group) => {
      const ours = specsOf(folder, assets)
      if (real === undefined) group.note("beside no kube-apiserver: npm run components -- kubernetes builds it")
      const theirs = new Map((real === undefined ? [] : specsOf(folder, real)).map((spec) => [spec.name, spec]))
      for (const spec of ours) if (spec.state !== "pending") group.case(spec.name, faultOf(spec, theirs.get(spec.name)))
    })
  }
}

function faultOf({ state, message }: Spec, theirs: Spec | undefined): string | undefined {
  const isExpected = state === "passed" || (theirs !== undefined && theirs.state !== "passed")
  return isExpected ? undefined : `${state}: ${message}`
}

/** The module cache cannot be written to, and the suites read their testdata beside them. */
function copyModule(go: Go, path: string): string {
  const downloaded = go(["mod", "download", "-json", `sigs.k8s.io/controller-runtime@${controllerRuntime}`])
  if (downloaded.status !== 0) throw new Error(`go mod download: ${downloaded.stderr}; check GOPROXY`)
  const { Dir } = JSON.parse(downloaded.stdout) as { readonly Dir: string }
  cpSync(Dir, path, { recursive: true })
  for (const one of ["", ...globSync("**/*", { cwd: path })]) chmodSync(join(path, one), 0o755)
  return path
}

function realAssets(path: string): string | undefined {
  const found = programs.map((program) => binary("kubernetes", program))
  if (found.includes(undefined)) return undefined
  mkdirSync(path)
  for (const [index, program] of programs.entries()) symlinkSync(found[index]!, join(path, program))
  return path
}

function specsOf(folder: string, assets: string): readonly Spec[] {
  const report = join(assets, "report.json")
  const waits = { KUBEBUILDER_CONTROLPLANE_START_TIMEOUT: "60s", KUBEBUILDER_CONTROLPLANE_STOP_TIMEOUT: "60s" }
  const env = { ...process.env, KUBEBUILDER_ASSETS: assets, ...waits }
  const flags = ["-ginkgo.no-color", `-ginkgo.json-report=${report}`]
  const ran = spawnSync(join(folder, "suite.test"), flags, { cwd: folder, env, encoding: "utf8", timeout: patience })
  const [suite] = JSON.parse(readFileSync(report, "utf8")) as readonly SuiteReport[]
  const specs = suite?.SpecReports ?? []
  if (specs.length === 0) throw new Error(`expected specs, found none:\n${ran.stdout}${ran.stderr}`)
  return specs.map((spec) => ({ name: nameOf(spec), state: spec.State, message: spec.Failure?.Message ?? "" }))
}

/** What ginkgo writes, as far as it is read. */
interface SuiteReport {
  readonly SpecReports: readonly SpecReport[] | null
}

interface SpecReport {
  readonly ContainerHierarchyTexts: readonly string[] | null
  readonly LeafNodeType: string
  readonly LeafNodeText: string
  readonly State: string
  readonly Failure?: { readonly Message: string }
}

function nameOf({ ContainerHierarchyTexts, LeafNodeText, LeafNodeType }: SpecReport): string {
  return [...(LeafNodeType === "It" ? [] : [LeafNodeType]), ...(ContainerHierarchyTexts ?? []), LeafNodeText].filter(Boolean).join(" ")
}
