import { mkdir, readFile, writeFile } from "node:fs/promises"
import { join } from "node:path"
import type { Progress } from "./component.ts"
import { toolsGo } from "./go-mod.ts"
import { run } from "./run.ts"

export interface GoMain {
  name: string
  package: string
  ldflags: string
  /** True: a package of tests, which `go test -c` makes a program of. */
  test?: true
}

const missing = "install Go (1.26 or newer, on PATH) and run the command again"
const failing =
  "see whether the Go module proxy can be reached (go env GOPROXY) and Go is new enough (go version), then run the command again"
// GOWORK: a go.work in some folder above must not take part. CGO: static programs, and no C compiler needed.
const environment = { GOWORK: "off", CGO_ENABLED: "0" }

/** The text of a module's go.mod. Downloads the module, which building it needs anyway. */
export async function downloadGoMod(options: { module: string; version: string; directory: string; signal: AbortSignal }): Promise<string> {
  const { module, version, directory, signal } = options
  await mkdir(directory, { recursive: true })
  const answer = await go({ arguments: ["mod", "download", "-json", `${module}@${version}`], directory, signal })
  const { GoMod } = JSON.parse(answer) as { GoMod: string }
  return await readFile(GoMod, "utf8")
}

export interface GoBuildOptions {
  goMod: string
  mains: readonly GoMain[]
  work: string
  into: string
  progress: Progress
  signal: AbortSignal
  /** False: `goMod` names every module already, and only checksums are added to it. */
  tidy?: boolean
}

/** Compiles programs out of the modules that `goMod` requires. */
export async function goBuild({ goMod, mains, work, into, progress, signal, tidy = true }: GoBuildOptions): Promise<void> {
  await mkdir(into, { recursive: true })
  await writeFile(join(work, "go.mod"), goMod)
  await writeFile(join(work, "tools.go"), toolsGo(mains.map((main) => main.package)))
  progress("getting the modules that it needs (about 1.4 GB the first time)")
  const onModule = everyHundred((count) => progress(`${count} modules`))
  if (tidy) await go({ arguments: ["mod", "tidy"], directory: work, signal, onLine: onModule })
  for (const [index, main] of mains.entries()) {
    progress(`compiling ${main.name} (${index + 1} of ${mains.length})`)
    // -v: one line per package that is really compiled, hence none when Go has it in its cache.
    const flags = ["-v", "-trimpath", "-buildvcs=false", ...(tidy ? [] : ["-mod=mod"]), "-ldflags", main.ldflags]
    const onLine = everyHundred((count) => progress(`compiling ${main.name}: ${count} packages`))
    // vet would look through every package that the program is made of.
    const command = main.test ? ["test", "-c", "-vet=off"] : ["build"]
    await go({ arguments: [...command, ...flags, "-o", join(into, main.name), main.package], directory: work, signal, onLine })
  }
}

function go(options: { arguments: string[]; directory: string; signal: AbortSignal; onLine?: (line: string) => void }): Promise<string> {
  return run({ command: "go", shown: `go ${options.arguments.slice(0, 2).join(" ")}`, environment, missing, failing, ...options })
}

function everyHundred(report: (count: number) => void): () => void {
  let count = 0
  return () => {
    count += 1
    if (count % 100 === 0) report(count)
  }
}
