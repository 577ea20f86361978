import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { CannotBeHad } from "./errors.ts"

export interface RunOptions {
  command: string
  arguments: string[]
  /** What messages call it: the command without the flags that say nothing. */
  shown?: string
  directory?: string
  environment?: Record<string, string>
  signal: AbortSignal
  /** What to do where the command is not installed. */
  missing: string
  /** What to do when it fails. */
  failing: string
  /** Which lines of its standard error say why it failed: go says it at the end, npm at the beginning. */
  telling?: "first" | "last"
  /** Called with every line of its standard error, where npm, go and pip report what they do. */
  onLine?: (line: string) => void
}

/** Runs a command and returns its standard output; a missing or failing command is a CannotBeHad. */
export async function run(options: RunOptions): Promise<string> {
  const { command, signal } = options
  const child = spawn(command, options.arguments, {
    cwd: options.directory,
    env: { ...process.env, ...options.environment },
    stdio: ["ignore", "pipe", "pipe"],
    signal,
  })
  const output: string[] = []
  const lines: string[] = []
  child.stdout.setEncoding("utf8").on("data", (text: string) => output.push(text))
  createInterface({ input: child.stderr }).on("line", (line) => {
    options.onLine?.(line)
    if (line.trim() !== "") lines.push(line.trim())
  })
  const code = await exitCode(child, options)
  if (code === 0) return output.join("")
  const said = options.telling === "first" ? lines.slice(0, 3) : lines.slice(-3)
  // Some report on standard output: `go mod download -json` answers with a field Error.
  const found = said.join(" / ") || output.join("").replace(/\s+/g, " ").trim().slice(-500) || "no word"
  throw new CannotBeHad({
    expected: `\`${options.shown ?? command}\` to succeed`,
    found: `exit code ${code}: ${found}`,
    todo: options.failing,
  })
}

async function exitCode(child: ReturnType<typeof spawn>, { command, signal, missing }: RunOptions): Promise<number | null> {
  try {
    // `close`, not `exit`: only then has all output been read.
    const [code] = (await once(child, "close")) as [number | null]
    return code
  } catch (cause) {
    // An aborted child still has to stop writing before its folder can be removed.
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) await once(child, "exit")
    signal.throwIfAborted()
    const code = cause instanceof Error && "code" in cause ? cause.code : undefined
    if (code !== "ENOENT") throw cause
    throw new CannotBeHad({ expected: `\`${command}\` on PATH`, found: "none", todo: missing, cause })
  }
}
