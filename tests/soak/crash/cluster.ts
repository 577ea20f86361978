import { type ChildProcess, spawn } from "node:child_process"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { type Client, createClient, defaultTransport } from "@pilothouse/runtime"

/** Milliseconds. What is right takes a second or two; the limit is for what never comes. */
const patience = 120_000
const program = fileURLToPath(new URL("../../../packages/cli/src/main.ts", import.meta.url))

/** `pilothouse up` in a process of its own, which can be killed. */
export interface KillableCluster {
  readonly client: Client
  /** Exit code, or the signal that ended it. */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<number | string | null>
}

/** `wrapper` is a command that starts it, such as `unshare`; where that is killed, what it started is too. `flags` are further ones of `up`. */
export async function killableCluster(
  directory: string,
  wrapper: readonly string[] = [],
  flags: readonly string[] = [],
): Promise<KillableCluster> {
  // Without the launcher: kill -9 of a parent leaves its child.
  const command = [
    ...wrapper,
    process.execPath,
    "--conditions=@pilothouse/source",
    "--disable-warning=ExperimentalWarning",
    program,
    "up",
    "--port",
    "0",
    "--data-dir",
    directory,
    ...flags,
  ]
  const child = spawn(command[0]!, command.slice(1), { stdio: ["ignore", "pipe", "pipe"] })
  const ended = new Promise<number | string | null>((resolve) => {
    child.once("close", (code, signal) => resolve(signal ?? code))
  })
  await untilUp(child)
  const http = await defaultTransport({ kubeconfig: join(directory, "kubeconfig") })
  return {
    client: createClient(http.transport, { userAgent: "crash" }),
    async end(signal) {
      child.kill(signal)
      await http.close()
      return ended
    },
  }
}

function untilUp(child: ChildProcess): Promise<void> {
  let said = ""
  return new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        said += chunk.toString()
        if (said.includes("Ctrl-C")) resolve()
      })
    }
    child.once("close", (code) => reject(new Error(`pilothouse up ended with ${code}: ${said}`)))
  })
}

/** Asks again until the answer is the expected one. */
export async function until(condition: () => Promise<boolean>, what: string): Promise<void> {
  const end = performance.now() + patience
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`expected ${what} within ${patience / 1000} s`)
    await sleep(10)
  }
}
