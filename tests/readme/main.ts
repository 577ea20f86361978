// The README as a test: a fresh clone in an empty directory, its commands one by one in a pseudo-terminal, as a person would type them; what they
// show is compared with what is written.
import { type ChildProcess, spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { binary, ensure } from "../../tools/components/index.ts"
import { hasTerminal, runTyped, startTyped, withoutControls } from "./terminal.ts"
import { comparable, type TourStep, tourSteps } from "./tour.ts"

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
const startCommand = "npm ci && npm start"
/** A command that only reads may be repeated: a controller brings about in its own time what it shows. A person sees no `<pending>`, where the machine is not busy. */
const looks = /^(kubectl get|curl|npx @pilothouse\/cli explain) /
/** Milliseconds. What is right takes a moment; the limit is for what never comes. */
const patience = 10_000

let passed = 0
let failed = 0
const scratch = mkdtempSync(join(tmpdir(), "pilothouse-readme-"))
const clone = join(scratch, "pilothouse")
try {
  if (hasTerminal()) await tour()
  else console.log("skipped: there is no `script` of util-linux, which gives a command a pseudo-terminal")
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

async function tour(): Promise<void> {
  const steps = tourSteps(readFileSync(join(root, "README.md"), "utf8"))
  const [first, ...others] = steps
  if (first?.command !== startCommand) return report({ command: startCommand, output: "" }, `the tour begins with ${first?.command}`)
  await ensure("kubectl@1.35", { onProgress: console.log })
  must("git", ["clone", "--quiet", root, clone], scratch)
  must("npm", ["ci", "--prefer-offline"], clone)
  const cluster = await start(first)
  try {
    for (const step of others) compare(step, cluster.environment)
  } finally {
    await stop(cluster.process)
  }
}

interface Running {
  readonly process: ChildProcess
  readonly environment: NodeJS.ProcessEnv
}

/** Runs `npm start` until it has printed all that the README shows, and takes the export line it prints for the steps after it. */
async function start(step: TourStep): Promise<Running> {
  const child = startTyped("npm start --silent", { cwd: clone })
  let shown = ""
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on("data", (chunk: Buffer) => {
      shown += chunk.toString()
      if (/Ctrl-C[^\n]*\n/.test(shown)) resolve()
    })
    child.on("exit", (code) => reject(new Error(`npm start ended with ${code}: ${shown}`)))
  })
  report(step, difference(step.output, withoutControls(shown)))
  const kubeconfig = /KUBECONFIG=(\S+)/.exec(shown)?.[1]
  const kubectl = binary("kubectl@1.35", "kubectl")
  return { process: child, environment: { ...process.env, KUBECONFIG: kubeconfig, PATH: `${dirname(kubectl ?? "")}:${process.env.PATH}` } }
}

function compare(step: TourStep, env: NodeJS.ProcessEnv): void {
  const end = performance.now() + patience
  const look = () => difference(step.output, runTyped(step.command, { cwd: clone, env }))
  let problem = look()
  while (problem !== undefined && looks.test(step.command) && performance.now() < end) problem = look()
  report(step, problem)
}

/** Ctrl-C is typed, so that the terminal sends it to everything in front of it, and all has to be over within a second. */
async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()))
  const asked = performance.now()
  child.stdin?.write("\x03")
  await ended
  const took = performance.now() - asked
  report({ command: "Ctrl-C", output: "" }, took < 1000 ? undefined : `expected it to stop within a second, it took ${Math.round(took)} ms`)
}

function difference(expected: string, found: string): string | undefined {
  return comparable(expected) === comparable(found) ? undefined : `expected\n${comparable(expected)}\nfound\n${comparable(found)}`
}

function report(step: TourStep, problem: string | undefined): void {
  if (problem === undefined) passed++
  else failed++
  console.log(`${problem === undefined ? "ok    " : "FAILED"} ${step.command}${problem === undefined ? "" : `\n${problem}`}`)
}

function must(command: string, args: readonly string[], cwd: string): void {
  const { status, stderr } = spawnSync(command, args, { cwd, encoding: "utf8" })
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${status}: ${stderr}`)
}
