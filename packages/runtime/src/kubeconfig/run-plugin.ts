import type { Environment } from "./types.ts"

/** The call of a credential plugin. */
export interface PluginCall {
  readonly command: string
  readonly args: readonly string[]
  /** The whole of it. */
  readonly environment: Environment
  /** Whether it may prompt the user at the terminal. */
  readonly interactive: boolean
  /** Ends it. */
  readonly signal: AbortSignal
}

/** How an exec plugin ended and what it wrote. */
export interface PluginResult {
  /** Undefined when a signal ended it. */
  readonly exitCode: number | undefined
  readonly stdout: string
  readonly stderr: string
}

/** Runs a program to its end. Rejects when it could not be started. */
export type RunPlugin = (call: PluginCall) => Promise<PluginResult>

/** Characters of each output. A plugin that prints more is killed: credentials have some thousands. */
const maxOutput = 1024 * 1024

/** Runs programs of this machine. */
export const runPlugin: RunPlugin = async ({ command, args, environment, interactive, signal }) => {
  const { spawn } = await import("node:child_process")
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: { ...environment },
      signal,
      stdio: [interactive ? "inherit" : "ignore", "pipe", "pipe"],
    })
    let [stdout, stderr] = ["", ""]
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      stdout += text
      if (stdout.length > maxOutput) child.kill("SIGKILL")
    })
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      // The end of the output says why it failed.
      stderr = `${stderr}${text}`.slice(-maxOutput)
      // A prompt has to be shown while the plugin waits.
      if (interactive) process.stderr.write(text)
    })
    child.once("error", reject)
    child.once("close", (code) => resolve({ exitCode: code ?? undefined, stdout, stderr }))
  })
}
