import { spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import type { Scratch } from "./scratch.ts"

const script = fileURLToPath(new URL("function.sh", import.meta.url))
/** Upstream's slowest takes a minute. */
const limit = 300_000
const keptCharacters = 20_000

export interface Outcome {
  readonly passed: boolean
  readonly seconds: number
  /** The end of what it said. */
  readonly output: string
}

/** One function of the suite, or "setup", in a shell of its own. */
export function runFunction({ root, home, temporary }: Scratch, port: number, name: string): Promise<Outcome> {
  const started = performance.now()
  const env = {
    ...process.env,
    HOME: home,
    TMPDIR: temporary,
    TERM: "xterm",
    SECURE_API_PORT: String(port),
    // The server says a version of its own.
    ALLOW_SKEW: "1",
    KUBECONFIG: undefined,
  }
  // A group of its own: whatever a function leaves running ends with it.
  const child = spawn("bash", [script, name], { cwd: root, env, stdio: ["ignore", "pipe", "pipe"], detached: true })
  const kill = () => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL")
    } catch {
      // Nothing of it is left.
    }
  }
  process.once("exit", kill)
  const timer = setTimeout(kill, limit)
  let output = ""
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-keptCharacters)
    })
  return new Promise((resolve) => {
    child.once("exit", (code) => {
      clearTimeout(timer)
      kill()
      process.removeListener("exit", kill)
      resolve({ passed: code === 0, seconds: (performance.now() - started) / 1000, output })
    })
  })
}
