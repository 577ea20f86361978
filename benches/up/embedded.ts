// `pilothouse up` as a process of its own, watched from outside.
import { type ChildProcess, spawn } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { setTimeout as delay } from "node:timers/promises"
import { type Client, createClient, defaultTransport } from "@pilothouse/runtime"
import { systemClock } from "@pilothouse/seams/system"
import type { BenchProgram } from "./program.ts"

export interface EmbeddedOptions {
  readonly program: BenchProgram
  readonly directory: string
  readonly port: number
  /** Where it writes how to reach it; must not be there yet. */
  readonly kubeconfig: string
  readonly flags?: readonly string[]
}

/** Starts when made; disposing ends it as Ctrl-C would. */
export class Embedded {
  readonly #child: ChildProcess
  readonly #kubeconfig: string
  #said = ""

  constructor({ program, directory, port, kubeconfig, flags = [] }: EmbeddedOptions) {
    const args = [
      ...program.args,
      "up",
      "--ephemeral",
      "--json",
      `--data-dir=${directory}`,
      `--port=${port}`,
      `--kubeconfig=${kubeconfig}`,
      ...flags,
    ]
    this.#kubeconfig = kubeconfig
    this.#child = spawn(process.execPath, args, {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, ...program.environment },
    })
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on("data", (chunk: Buffer) => {
        this.#said = (this.#said + chunk.toString()).slice(-4000)
      })
    process.once("exit", this.#kill)
  }

  /** Ends when it has written its kubeconfig. */
  async client(): Promise<Client & AsyncDisposable> {
    const kubeconfig = this.#kubeconfig
    while (!existsSync(kubeconfig)) {
      if (this.#child.exitCode !== null) throw new Error(`pilothouse up ended early:\n${this.#said}`)
      await delay(2)
    }
    const opened = await defaultTransport({ kubeconfig, clock: systemClock })
    return { ...createClient(opened.transport), [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() }
  }

  /** Megabytes in memory. */
  memory(): number {
    return memoryOf(this.#child.pid ?? 0)
  }

  /** Milliseconds of CPU so far. */
  cpu(): number {
    return cpuOf(this.#child.pid ?? 0)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve))
    if (this.#child.exitCode === null && this.#child.kill("SIGTERM")) await ended
    process.removeListener("exit", this.#kill)
  }

  readonly #kill = () => void this.#child.kill("SIGKILL")
}

export function memoryOf(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024
}

export function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ")
  // A tick is a hundredth of a second.
  return (Number(fields[11]) + Number(fields[12])) * 10
}
