import { execFile } from "node:child_process"
import { copyFileSync, mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { startControlPlane } from "../real/control-plane.ts"
import { startOurApiServer } from "../real/our-api-server.ts"
import type { Tally } from "../real/tally.ts"
import { controllerRuntime, type Go } from "./go.ts"

/** Without controllers nothing creates the service accounts that this plugin requires. */
const disabledPlugins = ["ServiceAccount"]
const run = promisify(execFile)

/**
 * Runs a Go program that works with client-go's apply configurations and controller-runtime's `client.Apply` against a real API server and against ours.
 * Every line that it prints has to be the same.
 */
export async function compareApply(tally: Tally, go: Go, directory: string): Promise<void> {
  const program = builtProgram(go, join(directory, "apply"))
  await using real = await startControlPlane({ apiServerFlags: [`--disable-admission-plugins=${disabledPlugins}`] })
  await using ours = await startOurApiServer({ disabledPlugins })
  await tally.group("apply configurations of client-go and client.Apply of controller-runtime", async (group) => {
    const theirs = await linesOf(program, real.kubeconfig("admin"))
    const own = await linesOf(program, ours.kubeconfig("admin"))
    for (const [index, line] of theirs.entries()) {
      const title = (JSON.parse(line) as { readonly step: string }).step
      group.case(title, own[index] === line ? undefined : `the server: ${line}\nours: ${own[index]}`)
    }
    if (theirs.length === 0 || own.length !== theirs.length)
      group.case("as many lines", `the server: ${theirs.length}, ours: ${own.length}`)
  })
}

function builtProgram(go: Go, module: string): string {
  mkdirSync(module)
  copyFileSync(join(import.meta.dirname, "apply.go"), join(module, "apply.go"))
  writeFileSync(
    join(module, "go.mod"),
    `module example.com/apply\n\ngo 1.25.0\n\nrequire sigs.k8s.io/controller-runtime ${controllerRuntime}\n`,
  )
  for (const words of [
    ["mod", "tidy"],
    ["build", "-o", "apply", "."],
  ]) {
    const { status, stderr, error } = go(words, module)
    if (status !== 0) throw new Error(`go ${words.join(" ")}: ${error?.message ?? stderr}; install Go and check GOPROXY`)
  }
  return join(module, "apply")
}

/** The server that it works with may be in this process, which must not wait for it. */
async function linesOf(program: string, kubeconfig: string): Promise<readonly string[]> {
  const { stdout } = await run(program, [kubeconfig], { maxBuffer: 64 * 1024 * 1024 })
  return stdout.split("\n").filter((line) => line !== "")
}
