// Real kubectl of several minor versions with the helm of its time, and @kubernetes/client-node, against `pilothouse up`: npm run test:kubectl [-- 1.30 client-node]
import { spawn, spawnSync } from "node:child_process"
import { dirname, join } from "node:path"
import { binary, ensure } from "../../tools/components/index.ts"
import { root, startCluster } from "./cluster.ts"
import { helmSteps, writeChart } from "./helm.ts"
import { identityOutcomes } from "./identity.ts"
import { serverSideApplySteps } from "./server-side-apply-steps.ts"
import { type Step, steps } from "./steps.ts"
import { streamOutcomes } from "./streams.ts"
import { watchSeesPodsCome } from "./watch.ts"

const asked = process.argv.length > 2 ? process.argv.slice(2) : ["1.30", "1.32", "1.34", "1.35", "1.36", "client-node"]
/** Milliseconds for what comes in its own time, as kubectl's own waits have it here. */
const patience = 20_000

const allSteps = [...steps, ...serverSideApplySteps]
let passed = 0
let failed = 0
let skipped = 0
// Half a minute of it is waiting: it goes on beside the others.
const clientNode = asked.includes("client-node") ? tryClientNode() : Promise.resolve()
for (const version of asked) if (version !== "client-node") await tryVersion(version)
await clientNode
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
process.exitCode = failed === 0 ? 0 : 1

async function tryVersion(version: string): Promise<void> {
  const kubectl = await find(version)
  if (kubectl === undefined) return
  await using cluster = await startCluster()
  const environment = { ...process.env, KUBECONFIG: cluster.kubeconfig, HOME: cluster.directory }
  report(version, "get pods -w", await watchSeesPodsCome(kubectl, environment, root))
  const user = { program: kubectl, directory: cluster.directory, kubeconfig: cluster.kubeconfig }
  for (const [what, problem] of await identityOutcomes(user)) report(version, what, problem)
  for (const [what, problem] of await streamOutcomes(kubectl)) report(version, what, problem)
  for (const step of allSteps) report(version, step.args.join(" "), attempt(kubectl, step, environment))
  const helm = join(dirname(kubectl), "helm")
  for (const step of helmSteps(writeChart(cluster.directory), helmMajor(helm))) {
    const what = `${step.with === "helm" ? "and its helm " : ""}${step.args.join(" ")}`
    report(version, what, attempt(step.with === "helm" ? helm : kubectl, step, environment))
  }
}

/** "v4.2.3+g43e8b7f" is 4. */
function helmMajor(helm: string): string {
  return spawnSync(helm, ["version", "--short"], { encoding: "utf8" }).stdout.slice(1, 2)
}

/** Its lines say how each scenario ended. */
async function tryClientNode(): Promise<void> {
  const program = join(root, "tests/kubectl/client-node/main.ts")
  const child = spawn(process.execPath, [...process.execArgv, program], { stdio: ["ignore", "pipe", "inherit"] })
  let said = ""
  child.stdout.on("data", (chunk: Buffer) => {
    said += chunk.toString()
  })
  const code = await new Promise((resolve) => child.once("close", resolve))
  const problems = said.split("\n").filter((line) => line.startsWith("FAILED"))
  if (code !== 0 && problems.length === 0) problems.push(`FAILED client-node: it ended with ${code}`)
  passed += said.split("\n").filter((line) => line.startsWith("ok ")).length
  failed += problems.length
  for (const problem of problems) console.log(problem)
}

async function find(version: string): Promise<string | undefined> {
  try {
    await ensure(`kubectl@${version}`, { onProgress: console.log })
  } catch (error) {
    skipped += allSteps.length
    console.log(`skipped kubectl ${version}: ${error instanceof Error ? error.message : error}`)
    return undefined
  }
  return binary(`kubectl@${version}`, "kubectl")
}

/** What is wrong, or nothing. */
function attempt(program: string, step: Step, env: NodeJS.ProcessEnv): string | undefined {
  const end = performance.now() + patience
  let problem = once(program, step, env)
  while (problem !== undefined && step.soon === true && performance.now() < end) problem = once(program, step, env)
  return problem
}

function once(program: string, step: Step, env: NodeJS.ProcessEnv): string | undefined {
  const { input, editor: KUBE_EDITOR } = step
  const environment = KUBE_EDITOR === undefined ? env : { ...env, KUBE_EDITOR }
  const options = { cwd: root, env: environment, input, encoding: "utf8", timeout: 60_000 } as const
  const { status, stdout, stderr } = spawnSync(program, step.args, options)
  const said = stdout + stderr
  if ((status !== 0) !== (step.fails ?? false)) return `exit code ${status}: ${said.trim()}`
  return step.says.test(said) ? undefined : `expected ${step.says}, found ${said.trim()}`
}

function report(version: string, what: string, problem: string | undefined): void {
  if (problem === undefined) passed++
  else failed++
  if (problem !== undefined) console.log(`FAILED kubectl ${version} ${what}: ${problem}`)
}
