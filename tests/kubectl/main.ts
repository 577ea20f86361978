// Real kubectl of several minor versions against `pilothouse up`: npm run test:kubectl [-- 1.30 1.35]
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { binary, ensure } from "../../tools/components/index.ts"
import { type Step, steps } from "./steps.ts"
import { watchSeesPodsCome } from "./watch.ts"

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const versions = process.argv.length > 2 ? process.argv.slice(2) : ["1.30", "1.32", "1.34", "1.35", "1.36"]

let passed = 0
let failed = 0
let skipped = 0
for (const version of versions) await tryVersion(version)
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`)
process.exitCode = failed === 0 ? 0 : 1

async function tryVersion(version: string): Promise<void> {
  const kubectl = await find(version)
  if (kubectl === undefined) return
  const directory = mkdtempSync(join(tmpdir(), "pilothouse-kubectl-"))
  const cluster = await up(directory)
  try {
    const environment = { ...process.env, KUBECONFIG: join(directory, "kubeconfig"), HOME: directory }
    report(version, "get pods -w", await watchSeesPodsCome(kubectl, environment, root))
    for (const step of steps) report(version, step.args.join(" "), attempt(kubectl, step, environment))
  } finally {
    await stop(cluster)
    rmSync(directory, { recursive: true, force: true })
  }
}

async function find(version: string): Promise<string | undefined> {
  try {
    await ensure(`kubectl@${version}`, { onProgress: console.log })
  } catch (error) {
    skipped += steps.length
    console.log(`skipped kubectl ${version}: ${error instanceof Error ? error.message : error}`)
    return undefined
  }
  return binary(`kubectl@${version}`, "kubectl")
}

async function up(directory: string): Promise<ChildProcess> {
  const launcher = join(root, "packages/cli/bin/pilothouse.js")
  const child = spawn(process.execPath, [launcher, "up", "--data-dir", directory, "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] })
  await new Promise<void>((resolve, reject) => {
    child.stdout?.once("data", () => resolve())
    child.once("exit", (code) => reject(new Error(`pilothouse up ended with ${code}`)))
  })
  return child
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve))
  child.kill("SIGTERM")
  await ended
}

/** What is wrong, or nothing. */
function attempt(kubectl: string, step: Step, env: NodeJS.ProcessEnv): string | undefined {
  const { status, stdout, stderr } = spawnSync(kubectl, step.args, { cwd: root, env, input: step.input, encoding: "utf8", timeout: 60_000 })
  const said = stdout + stderr
  if ((status !== 0) !== (step.fails ?? false)) return `exit code ${status}: ${said.trim()}`
  return step.says.test(said) ? undefined : `expected ${step.says}, found ${said.trim()}`
}

function report(version: string, what: string, problem: string | undefined): void {
  if (problem === undefined) passed++
  else failed++
  if (problem !== undefined) console.log(`FAILED kubectl ${version} ${what}: ${problem}`)
}
