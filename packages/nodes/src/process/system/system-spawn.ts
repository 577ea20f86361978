import { constants } from "node:os"
import type { Readable } from "node:stream"
import { PilothouseError } from "@pilothouse/seams"
import { type Command, type ProcessUser, withSetpriv } from "../security/credentials.ts"
import { findProgram } from "../security/system-powers.ts"
import type { ProcessCall, ProcessListener, RunningProcess, SpawnProcess } from "./spawn.ts"
import { CarrierSweeper } from "./system-leftovers.ts"
import { useOfTree } from "./system-use.ts"

/** What programs need to find others and their files; nothing else of our own environment is theirs. */
const passedOn = ["PATH", "HOME", "LANG", "TMPDIR", "TZ", "SystemRoot"]

/** Milliseconds in which what a process has printed before its end is read. */
const lastWords = 200

/**
 * Runs programs on this host. This is no sandbox: they can do whatever their user can, and see all of the host.
 * A process has no descriptors but its input (/dev/null) and its output; Node opens all of its own so that they are closed in children.
 */
export function systemSpawner(): SpawnProcess {
  const sweeper = new CarrierSweeper()
  return (call, listener) => spawnOnSystem(call, listener, sweeper)
}

async function spawnOnSystem(call: ProcessCall, listener: ProcessListener, sweeper: CarrierSweeper): Promise<RunningProcess> {
  // Loaded by who needs it: most clusters never do.
  const { spawn } = await import("node:child_process")
  const { argv, env, ...user } = commandOf(call)
  const [program = "", ...args] = argv
  return new Promise((resolve, reject) => {
    // A group of its own: what a shell has started ends with the shell, and Ctrl-C is ours alone.
    const child = spawn(program, args, { env, cwd: call.cwd, ...user, detached: true, stdio: ["ignore", "pipe", "pipe"] })
    const read = [linesOf(child.stdout, listener), linesOf(child.stderr, listener)]
    child.once("error", (cause) =>
      reject(new PilothouseError("INVALID", `cannot start ${call.argv[0] ?? ""}: ${cause.message}`, { cause })),
    )
    // A container ends with its main process: what that has left behind would keep its output open, and its port.
    let late: NodeJS.Timeout | undefined
    let left: Promise<number | undefined> = Promise.resolve(0)
    child.once("exit", () => {
      signalGroup(child.pid, "SIGKILL")
      if (call.endsCarriersOf !== undefined) left = sweeper.end(call.endsCarriersOf)
      // A daemon that cannot be found may hold the output open for as long as it runs: without this its container would not end before it.
      late = setTimeout(() => {
        child.stdout.destroy()
        child.stderr.destroy()
      }, lastWords)
    })
    child.once("close", async (code, signal) => {
      clearTimeout(late)
      for (const rest of read) rest()
      const count = await left
      if (count !== 0)
        listener.line(`pilothouse: ${count ?? "an unknown number of"} processes that this container had started could not be ended`)
      listener.end({ exitCode: code ?? 128 + (constants.signals[signal ?? "SIGKILL"] ?? 9) })
    })
    child.once("spawn", () => {
      const used = () => useOfTree(child.pid ?? 0)
      // A system that does not say it at the start never does: it is asked once.
      resolve({ signal: (name) => signalGroup(child.pid, name), ...(used() !== undefined && { used }) })
    })
  })
}

interface SystemCommand extends Command {
  readonly uid?: number
  readonly gid?: number
}

/** The program, or setpriv where only that can start it with the credentials it is to have. */
function commandOf({ argv, env, cwd, credentials = {} }: ProcessCall): SystemCommand {
  const { user, setpriv } = credentials
  const command: Command = { argv, env: { ...inherited(user), ...env } }
  // Node sets both, and clears the supplementary groups.
  if (setpriv === undefined) return { ...command, ...(user && { uid: user.uid, gid: user.gid }) }
  const [program = ""] = argv
  // setpriv itself could be started, and would only say in the log that it found no program.
  if (findProgram(program, { path: command.env.PATH ?? "", cwd }) === undefined)
    throw new PilothouseError("INVALID", `cannot start ${program}: spawn ${program} ENOENT`)
  return withSetpriv(command, credentials, setpriv)
}

/** Of our own environment; another user has a home of its own, and no business in our directory for temporary files. */
function inherited(user: ProcessUser | undefined): Readonly<Record<string, string>> {
  const own = Object.fromEntries(passedOn.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])))
  if (user === undefined || user.uid === process.getuid?.()) return own
  const { TMPDIR: _ours, ...others } = own
  return { ...others, HOME: user.home }
}

/** Characters of a line; the rest is the next one. Some never print an end of line. */
const maxLine = 16 * 1024

/** Passes on whole lines as they come; the returned function passes on the last one, which may have no end. */
function linesOf(stream: Readable, listener: ProcessListener): () => void {
  let open = ""
  /** Tells all of a line that is too long; gives what is left of it. */
  const cut = (line: string): string => {
    let from = 0
    for (; line.length - from > maxLine; from += maxLine) listener.line(line.slice(from, from + maxLine))
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
    // The whole group is gone, or (macOS) dead and not reaped yet: the desired state.
    if (!gone.has((error as NodeJS.ErrnoException).code ?? "")) throw error
  }
}
