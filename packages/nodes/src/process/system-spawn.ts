import { constants } from "node:os"
import type { Readable } from "node:stream"
import { PilothouseError } from "@pilothouse/seams"
import type { ProcessListener, SpawnProcess } from "./spawn.ts"
import { useOfTree } from "./system-use.ts"

/** What programs need to find others and their files; nothing else of our own environment is theirs. */
const passedOn = ["PATH", "HOME", "LANG", "TMPDIR", "TZ", "SystemRoot"]

/** Milliseconds in which what a process has printed before its end is read. */
const lastWords = 200

/** Runs programs on this host. This is no sandbox: they can do whatever we can. */
export const systemSpawn: SpawnProcess = async ({ argv: [program = "", ...args], env, cwd }, listener) => {
  // Loaded by who needs it: most clusters never do.
  const { spawn } = await import("node:child_process")
  return new Promise((resolve, reject) => {
    const own = Object.fromEntries(passedOn.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])))
    // A group of its own: what a shell has started ends with the shell, and Ctrl-C is ours alone.
    const child = spawn(program, args, { env: { ...own, ...env }, cwd, detached: true, stdio: ["ignore", "pipe", "pipe"] })
    const read = [linesOf(child.stdout, listener), linesOf(child.stderr, listener)]
    child.once("error", (cause) => reject(new PilothouseError("INVALID", `cannot start ${program}: ${cause.message}`, { cause })))
    // A container ends with its main process: what that has left behind would keep its output open, and its port.
    let late: NodeJS.Timeout | undefined
    child.once("exit", () => {
      signalGroup(child.pid, "SIGKILL")
      // A daemon has left the group and holds the output open for as long as it runs: without this its container would not end before it.
      late = setTimeout(() => {
        child.stdout.destroy()
        child.stderr.destroy()
      }, lastWords)
    })
    child.once("close", (code, signal) => {
      clearTimeout(late)
      for (const rest of read) rest()
      listener.end({ exitCode: code ?? 128 + (constants.signals[signal ?? "SIGKILL"] ?? 9) })
    })
    child.once("spawn", () => {
      const used = () => useOfTree(child.pid ?? 0)
      // A system that does not say it at the start never does: nobody has to ask again and again.
      resolve({ signal: (name) => signalGroup(child.pid, name), ...(used() !== undefined && { used }) })
    })
  })
}

/** Characters of a line; the rest is the next one. Some never print an end of line. */
const longestLine = 16 * 1024

/** Tells whole lines as they come; what it gives back tells the last one, which may have no end. */
function linesOf(stream: Readable, listener: ProcessListener): () => void {
  let open = ""
  /** Tells all of a line that is too long; gives what is left of it. */
  const cut = (line: string): string => {
    let from = 0
    for (; line.length - from > longestLine; from += longestLine) listener.line(line.slice(from, from + longestLine))
    return line.slice(from)
  }
  stream.setEncoding("utf8").on("data", (text: string) => {
    const lines = `${open}${text}`.split(/\r?\n/)
    const last = lines.pop() ?? ""
    for (const line of lines) listener.line(cut(line))
    open = cut(last)
  })
  return () => {
    if (open !== "") listener.line(open)
  }
}

const gone: ReadonlySet<string> = new Set(["ESRCH", "EPERM"])

function signalGroup(pid: number | undefined, name: "SIGTERM" | "SIGKILL"): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, name)
  } catch (error) {
    // Everybody in the group is gone, or (macOS) dead and not buried yet: what was wanted.
    if (!gone.has((error as NodeJS.ErrnoException).code ?? "")) throw error
  }
}
