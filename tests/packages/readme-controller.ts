import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { run } from "./run.ts"

/** The controller that README.md shows, behind its marker. */
export function controllerProgram(root: string): string {
  const readme = readFileSync(join(root, "README.md"), "utf8")
  const program = /<!-- example: controller -->\s*```ts\n(.*?)```/s.exec(readme)?.[1]
  if (program === undefined) throw new Error("expected a ts block after <!-- example: controller --> in README.md, found none")
  return program
}

const defaults = { target: "es2024", lib: ["esnext", "dom"], module: "nodenext", strict: true, noEmit: true, skipLibCheck: true, types: [] }

/** What the compiler can be asked to be strict about, over an old library: our declarations have to stand it too. */
export const strictest = {
  lib: ["es2022", "dom"],
  skipLibCheck: false,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
}

export function typesOfController(program: string, folder: string, root: string, more: object = {}): void {
  const compilerOptions = { ...defaults, ...more }
  writeFileSync(join(folder, "controller.ts"), program)
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["controller.ts"] }))
  run(process.execPath, [join(root, "tools", "run.js"), "tsc", "-p", join(folder, "tsconfig.json")], root)
}

/** Starts the installed `pilothouse up` and the controller beside it, sees that both stay, and that both stop with 0 when asked to. */
export async function runController(program: string, folder: string): Promise<void> {
  writeFileSync(join(folder, "controller.ts"), program)
  const kubeconfig = join(folder, "data", "kubeconfig")
  const launcher = join(folder, "node_modules", "@pilothouse", "cli", "bin", "pilothouse.js")
  await using cluster = start([launcher, "up", "--port", "0", "--data-dir", join(folder, "data")], folder, {})
  await until(() => existsSync(kubeconfig), "a kubeconfig", cluster)
  await using controller = start(["controller.ts"], folder, { KUBECONFIG: kubeconfig })
  // Before that it has no signal handlers yet, and a busy machine takes its time to load it.
  await until(() => controller.said().includes("starting controllers=night-sleeper"), "the controller to start", controller)
  // Long enough to connect and fill its cache, or to fail in that; shorter on a busy machine, where it proves less.
  await sleep(3000)
  await stopped(controller)
  await stopped(cluster)
}

interface Running extends AsyncDisposable {
  readonly child: ChildProcess
  readonly ended: Promise<number | null>
  /** All that it wrote so far. */
  said(): string
}

function start(args: readonly string[], cwd: string, environment: Readonly<Record<string, string>>): Running {
  const child = spawn(process.execPath, args, { cwd, env: { ...process.env, ...environment }, stdio: ["ignore", "pipe", "pipe"] })
  let text = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => (text += chunk))
  const ended = new Promise<number | null>((resolve) => {
    child.on("close", (code) => resolve(code))
  })
  return {
    child,
    ended,
    said: () => text,
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL")
      await ended
    },
  }
}

async function until(condition: () => boolean, what: string, { child, said }: Running): Promise<void> {
  for (let tries = 0; tries < 1200; tries++) {
    if (condition()) return
    if (child.exitCode !== null) break
    await sleep(100)
  }
  throw new Error(`expected ${what}, found: ${said()}`)
}

async function stopped({ child, ended, said }: Running): Promise<void> {
  if (child.exitCode !== null)
    throw new Error(`expected ${child.spawnargs.join(" ")} to stay, found exit code ${child.exitCode}: ${said()}`)
  child.kill("SIGTERM")
  const code = await Promise.race([ended, sleep(60_000, "still running after a minute")])
  if (code !== 0) throw new Error(`expected ${child.spawnargs.join(" ")} to stop with 0 on SIGTERM, found ${code}: ${said()}`)
}
