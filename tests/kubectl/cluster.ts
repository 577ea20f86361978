import { type ChildProcess, spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))

/** A `pilothouse up` in a folder of its own. */
export interface Cluster extends AsyncDisposable {
  readonly directory: string
  readonly kubeconfig: string
}

/** Up, with its nodes Ready, when it resolves. */
export async function startCluster(...flags: readonly string[]): Promise<Cluster> {
  const directory = mkdtempSync(join(tmpdir(), "pilothouse-kubectl-"))
  const launcher = join(root, "packages/cli/bin/pilothouse.js")
  const child = spawn(process.execPath, [launcher, "up", "--data-dir", directory, "--port", "0", ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  await new Promise<void>((resolve, reject) => {
    child.stdout?.once("data", () => resolve())
    child.once("exit", (code) => reject(new Error(`pilothouse up ended with ${code}`)))
  })
  return {
    directory,
    kubeconfig: join(directory, "kubeconfig"),
    async [Symbol.asyncDispose]() {
      await stop(child)
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once("exit", resolve))
  child.kill("SIGTERM")
  await ended
}
