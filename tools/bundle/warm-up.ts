import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const patience = 20_000

/**
 * Starts a cluster once and ends it in order, which leaves behind the compiled code of all that ran. Returns why it could not: somebody who installs
 * where nothing may listen still gets a bundle.
 */
export async function warmUp(folder: string): Promise<string | undefined> {
  const data = mkdtempSync(join(tmpdir(), "pilothouse-warm-up-"))
  try {
    const flags = ["--port=0", `--data-dir=${data}`, "--json", "--from", join(import.meta.dirname, "../../examples/web.yaml")]
    return await ranAndStopped(start(folder, ["up", ...flags]))
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}

function start(folder: string, args: readonly string[]): ChildProcess {
  // Elsewhere it would be of no use to those who start it from here.
  const { NODE_COMPILE_CACHE: _elsewhere, ...env } = process.env
  return spawn(process.execPath, [join(folder, "start.js"), ...args], { env, stdio: ["ignore", "pipe", "pipe"] })
}

/** Ends the process a second after its first line: by then the pods of the example run. */
async function ranAndStopped(child: ChildProcess): Promise<string | undefined> {
  let said = ""
  child.stderr?.on("data", (chunk: Buffer) => {
    said += chunk.toString()
  })
  child.stdout?.once("data", () => setTimeout(() => child.kill("SIGTERM"), 1000))
  const timer = setTimeout(() => child.kill("SIGKILL"), patience)
  const [code] = await once(child, "exit")
  clearTimeout(timer)
  return code === 0 ? undefined : `pilothouse up ended with ${code ?? "a signal"} ${said.trim()}`
}
