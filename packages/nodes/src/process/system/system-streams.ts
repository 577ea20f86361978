import type { ChildProcess } from "node:child_process"
import type { Socket } from "node:net"
import { constants } from "node:os"
import { PilothouseError } from "@pilothouse/seams"
import { findProgram } from "../security/system-powers.ts"
import type { ProcessCall, SpawnStreams, StreamedProcess, StreamOptions } from "./spawn.ts"
import { commandOf, lastWords, signalGroup, stdioOf } from "./system-spawn.ts"
import { resizer, terminals } from "./terminal.ts"

/**
 * Starts commands of kubectl exec on this host. What a command leaves running in the background goes on with its container, which ends it: the call has
 * its container's mark in the environment.
 */
export function systemStreams(): SpawnStreams {
  const inTerminal = terminals()
  return async (call, options) => {
    const known = commandOf(call)
    const program = call.argv[0] ?? ""
    if (findProgram(program, { path: known.env.PATH ?? "", cwd: call.cwd }) === undefined) throw notFound(program)
    return start(options.tty ? await inTerminal(call) : call, options)
  }
}

/** In runc's words. */
function notFound(program: string): PilothouseError {
  const quoted = JSON.stringify(program)
  const why = program.includes("/") ? `stat ${program}: no such file or directory` : "executable file not found in $PATH"
  return new PilothouseError("INVALID", `exec: ${quoted}: ${why}`)
}

async function start(call: ProcessCall, { stdin, tty }: StreamOptions): Promise<StreamedProcess> {
  const { spawn } = await import("node:child_process")
  const { argv, env, ...user } = commandOf(call)
  const [program = "", ...args] = argv
  const child = spawn(program, args, { env, cwd: call.cwd, ...user, detached: true, stdio: stdioOf({ stdin, tty }) })
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve)
    child.once("error", (cause) =>
      reject(new PilothouseError("INVALID", `cannot start ${call.argv[0] ?? ""}: ${cause.message}`, { cause })),
    )
  })
  // Pipes of a child are sockets of Node.
  const [stdout, stderr] = [child.stdout as Socket, child.stderr as Socket]
  // A program that does not read its input has closed it.
  child.stdin?.on("error", () => undefined)
  return {
    stdin: stdin ? (child.stdin ?? undefined) : undefined,
    stdout,
    // script(1) says here what keeps it from starting a terminal.
    stderr,
    ...(tty && { resize: resizer(child) }),
    signal: (name) => signalGroup(child.pid, name),
    ended: endOf(child, [stdout, stderr]),
  }
}

function endOf(child: ChildProcess, outputs: readonly Socket[]): Promise<{ readonly exitCode: number }> {
  return new Promise((resolve) => {
    child.once("exit", (code, signal) => {
      const end = { exitCode: code ?? 128 + (constants.signals[signal ?? "SIGKILL"] ?? 9) }
      // Ends when all that was printed is read. What goes on in the background may hold an output open without end: one that is silent is closed.
      void Promise.all(outputs.map(drainOutput)).then(() => resolve(end))
    })
  })
}

function drainOutput(output: Socket): Promise<void> {
  return new Promise((resolve) => {
    if (output.closed) return resolve()
    let before = -1
    const timer = setInterval(() => {
      // A reader that is slow is waited for: what it has not read would be lost.
      if (output.readableLength === 0 && output.bytesRead === before) output.push(null)
      before = output.bytesRead
    }, lastWords)
    // What is printed in the background after its end was pushed is an error of the stream.
    output.on("error", () => undefined).once("end", () => output.destroy())
    output.once("close", () => {
      clearInterval(timer)
      resolve()
    })
  })
}
