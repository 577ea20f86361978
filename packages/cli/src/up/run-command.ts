import { spawn } from "node:child_process"
import { constants } from "node:os"
import { messageOf, PilothouseError } from "@pilothouse/seams"

export interface RunCommandOptions {
  /** The program and its arguments, as they stand behind "--". */
  readonly words: readonly string[]
  /** Of the cluster that the command works on. */
  readonly kubeconfig: string
  /** Rejects when the cluster must stop. The command is ended then. */
  readonly lost: Promise<never>
}

/** What a terminal sends to the command too: it decides when it ends. */
const fromTerminal = ["SIGINT", "SIGQUIT"] as const
/** What reaches this process alone, and is passed on. */
const passedOn = ["SIGTERM", "SIGHUP"] as const

/**
 * Runs a command with the terminal of this process and KUBECONFIG in its environment. Returns its exit code, or 128 and the number of the signal that
 * ended it, as a shell does. A signal to this process is one to the command: it may have something to clean up in the cluster.
 */
export async function runCommand({ words: [program = "", ...args], kubeconfig, lost }: RunCommandOptions): Promise<number> {
  const child = spawn(program, args, { stdio: "inherit", env: { ...process.env, KUBECONFIG: kubeconfig } })
  const ended = new Promise<number>((resolve, reject) => {
    child.once("exit", (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])))
    child.once("error", (error) => reject(notStarted(program, error)))
  })
  const end = (signal: NodeJS.Signals) => void child.kill(signal)
  const ignore = () => {}
  using listening = new DisposableStack()
  for (const [names, listener] of [
    [fromTerminal, ignore],
    [passedOn, end],
  ] as const) {
    for (const name of names) {
      process.on(name, listener)
      listening.defer(() => void process.removeListener(name, listener))
    }
  }
  lost.catch(() => child.kill("SIGTERM"))
  const code = await ended
  // A command that was ended because the cluster is lost is no success.
  return Promise.race([lost, Promise.resolve(code)])
}

function notStarted(program: string, error: Error): PilothouseError {
  const found = "code" in error && error.code === "ENOENT" ? "none of that name" : messageOf(error)
  return new PilothouseError("USAGE", `expected a program that can be started behind "--", found for "${program}": ${found}`)
}
