import { spawn } from "node:child_process"
import { performance } from "node:perf_hooks"
import { text } from "node:stream/consumers"
import type { Check } from "./checks.ts"

export interface Outcome {
  readonly check: Check
  readonly passed: boolean
  readonly seconds: number
  /** All that it wrote. */
  readonly output: string
}

export async function runCheck(check: Check, root: string): Promise<Outcome> {
  const start = performance.now()
  const child = spawn(process.execPath, ["tools/run.js", ...check.command], { cwd: root, stdio: ["ignore", "pipe", "pipe"] })
  const ended = new Promise<boolean>((resolve, reject) => {
    child.on("error", reject)
    child.on("close", (code) => resolve(code === 0))
  })
  const [passed, out, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)])
  return { check, passed, seconds: (performance.now() - start) / 1000, output: `${out}${errors}` }
}
