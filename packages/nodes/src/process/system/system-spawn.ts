import { constants } from "node:os"
import type { Readable } from "node:stream"
import { StringDecoder } from "node:string_decoder"
import { PilothouseError } from "@pilothouse/seams"
import { type Command, type ProcessUser, withSetpriv } from "../security/credentials.ts"
import { findProgram } from "../security/system-powers.ts"
import type { ProcessCall, ProcessListener, RunningProcess, SpawnProcess } from "./spawn.ts"
import { CarrierSweeper } from "./system-leftovers.ts"
import { useOfTree } from "./system-use.ts"
import { resizer, terminals } from "./terminal.ts"

/** What programs need to find others and their files; nothing else of our own environment is theirs. */
const passedOn = ["PATH", "HOME", "LANG", "TMPDIR", "TZ", "SystemRoot"]

/** Milliseconds in which what a process has printed before its end is read. */
export const lastWords = 200

/**
 * Runs programs on this host. This is no sandbox: they can do whatever their user can, and see all of the host.
 * A process has no descriptors but its input (/dev/null) and its output; Node opens all of its own so that they are closed in children.
 */
export function systemSpawner(): SpawnProcess {
  const sweeper = new CarrierSweeper()
  const inTerminal = terminals()
  return async (call, listener) =>
    spawnOnSystem(call.tty ? await inTerminal(call) : call, listener, { sweeper, program: call.argv[0] ?? "" })
}

/** Descriptors of a process. The end of its input would end a program in a terminal, so there is always one; the fourth is the terminal's. */
export function stdioOf({ stdin = false, tty = false }: Pick<ProcessCall, "stdin" | "tty">): ("ignore" | "pipe")[] {
  return [stdin || tty ? "pipe" : "ignore", "pipe", "pipe", ...(tty ? (["pipe"] as const) : [])]
}

interface Spawning {
  readonly sweeper: CarrierSweeper
  /** As messages name it. */
  readonly program: string
}

async function spawnOnSystem(call: ProcessCall, listener: ProcessListener, { sweeper, program: named }: Spawning): Promise<RunningProcess> {
  // Loaded by who needs it: most clusters never do.
  const { spawn } = await import("node:child_process")
  const { argv, env, ...user } = commandOf(call)
  const [program = "", ...args] = argv
  return new Promise((resolve, reject) => {
    // A group of its own: what a shell has started ends with the shell, and Ctrl-C is ours alone.
    const child = spawn(program, args, { env, cwd: call.cwd, ...user, detached: true, stdio: stdioOf(call) })
    const [stdout, stderr] = [child.stdout!, child.stderr!]
    stdout.on("data", (bytes: Buffer) => listener.output?.("stdout", bytes))
    stderr.on("data", (bytes: Buffer) => listener.output?.("stderr", bytes))
    const read = [linesOf(stdout, listener), linesOf(stderr, listener)]
    // A program that does not read its input has closed it.
    child.stdin?.on("error", () => undefined)
    child.once("error", (cause) => reject(new PilothouseError("INVALID", `cannot start ${named}: ${cause.message}`, { cause })))
    // A container ends with its main process: what that has left behind would keep its output open, and its port.
    let late: NodeJS.Timeout | undefined
    let left: Promise<number | undefined> = Promise.resolve(0)
    child.once("exit", () => {
      signalGroup(child.pid, "SIGKILL")
      if (call.endsCarriersOf !== undefined) left = sweeper.end(call.endsCarriersOf)
      // A daemon that cannot be found may hold the output open for as long as it runs: without this its container would not end before it.
      late = setTimeout(() => {
        stdout.destroy()
        stderr.destroy()
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
      resolve({
        signal: (name) => signalGroup(child.pid, name),
        ...(used() !== undefined && { used }),
        ...(call.stdin && child.stdin !== null && { stdin: child.stdin }),
        ...(call.tty && { resize: resizer(child) }),
      })
    })
  })
}

interface SystemCommand extends Command {
  readonly uid?: number
  readonly gid?: number
}

/** The program, or setpriv where only that can start it with the credentials it is to have. */
export function commandOf({ argv, env, cwd, credentials = {} }: ProcessCall): SystemCommand {
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
  const decoder = new StringDecoder("utf8")
  stream.on("data", (bytes: Buffer) => {
    const lines = `${open}${decoder.write(bytes)}`.split(/\r?\n/)
    const last = lines.pop() ?? ""
    for (const line of lines) listener.line(cut(line))
    open = cut(last)
  })
  return () => {
    if (open !== "") listener.line(open)
  }
}

const gone: ReadonlySet<string> = new Set(["ESRCH", "EPERM"])

export function signalGroup(pid: number | undefined, name: "SIGTERM" | "SIGKILL"): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, name)
  } catch (error) {
    // The whole group is gone, or (macOS) dead and not reaped yet: the desired state.
    if (!gone.has((error as NodeJS.ErrnoException).code ?? "")) throw error
  }
}
