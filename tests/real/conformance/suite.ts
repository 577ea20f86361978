// npm run test:real -- conformance: Kubernetes' own end-to-end specs against `pilothouse up`, those that need no container, one by one.
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { binary, cached } from "../../../tools/components/index.ts"
import { Child } from "../child.ts"
import type { Suite, SuiteContext } from "../suite.ts"
import { startUp } from "../up-cluster.ts"
import { apiMachinery } from "./api-machinery.ts"
import { controllerSpecs } from "./controllers.ts"
import { sigAuth } from "./sig-auth.ts"

export const suite: Suite = {
  skipReason: () =>
    cached("e2e.test", "1.36.3") === undefined ? "e2e.test 1.36.3 is not cached: npm run components -- e2e.test builds it" : undefined,
  run,
}

/** By special interest group, and of several about controllers: the specs that pass. */
const groups: Readonly<Record<string, readonly string[]>> = {
  "sig-api-machinery": apiMachinery,
  "sig-auth": sigAuth,
  controllers: controllerSpecs,
}

async function run({ tally }: SuiteContext): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "pilothouse-conformance-"))
  try {
    await using cluster = await startUp(["--nodes", "2"], "conformance")
    for (const [name, specs] of Object.entries(groups)) {
      await tally.group(name, async (group) => {
        const found = await specReports(cluster.kubeconfig, specs, join(directory, `${name}.json`))
        // Those of one group are named without it.
        for (const spec of specs) group.case(spec, problemOf(spec.startsWith("[sig-") ? spec : `[${name}] ${spec}`, found))
      })
    }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** One spec of a report of ginkgo. */
interface SpecReport {
  readonly ContainerHierarchyTexts: readonly string[] | null
  readonly LeafNodeText: string
  readonly State: string
  readonly Failure?: { readonly Message?: string }
}

async function specReports(kubeconfig: string, specs: readonly string[], path: string): Promise<readonly SpecReport[]> {
  const focus = specs.map((spec) => spec.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")
  const args = ["--provider=skeleton", "--disable-log-dump", "--dump-logs-on-failure=false", "--allowed-not-ready-nodes=10"]
  const ginkgo = ["no-color", "timeout=10m", `focus=${focus}`, `json-report=${path}`].map((flag) => `--ginkgo.${flag}`)
  const program = binary("e2e.test", "e2e.test")!
  const child = new Child({ name: "e2e.test", program, args: [`--kubeconfig=${kubeconfig}`, ...args, ...ginkgo] })
  await child.ended
  return (JSON.parse(readFileSync(path, "utf8")) as readonly { readonly SpecReports: readonly SpecReport[] }[]).flatMap(
    ({ SpecReports }) => SpecReports,
  )
}

function problemOf(spec: string, reports: readonly SpecReport[]): string | undefined {
  const report = reports.find(
    ({ ContainerHierarchyTexts, LeafNodeText }) => [...(ContainerHierarchyTexts ?? []), LeafNodeText].join(" ") === spec,
  )
  if (report === undefined) return "e2e.test has no spec of this name"
  return report.State === "passed" ? undefined : `${report.State}: ${report.Failure?.Message?.slice(0, 1000) ?? ""}`
}
