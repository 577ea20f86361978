import type { ChildProcess } from "node:child_process"
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { connect } from "node:net"
import { setTimeout as delay } from "node:timers/promises"
import { LoadClient } from "./load-client.ts"

/** A program that is started and measured from outside. */
export interface Program {
  readonly path: string
  readonly args: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
}

/** An API server, and whatever it needs beside it, as processes. Starts when made; `stop` ends all of it in the opposite order. */
export class RunningServer {
  readonly port: number
  readonly client: LoadClient
  readonly #children: readonly ChildProcess[]
  #said = ""

  constructor(programs: readonly Program[], { port, ca }: { port: number; ca: string }) {
    this.port = port
    this.client = new LoadClient({ port, ca, sockets: 16 })
    this.#children = programs.map((program) => this.#spawn(program))
    process.once("exit", this.#kill)
  }

  /** Ends when /readyz says ok. */
  async ready(): Promise<void> {
    for (;;) {
      if (this.#children.some(({ exitCode }) => exitCode !== null)) throw new Error(`a process ended early:\n${this.#said}`)
      if ((await listens(this.port)) && (await this.#isReady())) return
      await delay(2)
    }
  }

  /** Megabytes in memory, of all processes together. */
  memory(): number {
    const sizes = this.#children.map(({ pid }) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]))
    return sizes.reduce((sum, size) => sum + size, 0) / 1024
  }

  /** Milliseconds of CPU that all processes together have used: the same on a busy machine as on a quiet one. */
  cpu(): number {
    const ticks = this.#children.map(({ pid }) => {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ")
      return Number(fields[11]) + Number(fields[12])
    })
    // A tick is a hundredth of a second.
    return ticks.reduce((sum, count) => sum + count, 0) * 10
  }

  async stop(): Promise<void> {
    this.client.close()
    for (const child of this.#children.toReversed()) {
      const ended = new Promise((resolve) => child.once("exit", resolve))
      child.kill("SIGTERM")
      await ended
    }
    process.removeListener("exit", this.#kill)
  }

  readonly #kill = () => this.#children.forEach((child) => child.kill("SIGKILL"))

  #spawn({ path, args, environment }: Program): ChildProcess {
    const child = spawn(path, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...environment } })
    for (const stream of [child.stdout, child.stderr]) {
      stream?.on("data", (chunk: Buffer) => {
        this.#said = (this.#said + chunk.toString()).slice(-4000)
      })
    }
    return child
  }

  async #isReady(): Promise<boolean> {
    try {
      return (await this.client.send({ verb: "GET", path: "/readyz" })).status === 200
    } catch {
      // It listens, but is not there yet.
      return false
    }
  }
}

/** Cheap, so that waiting takes nothing from what is waited for. */
function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1")
    const end = (answer: boolean) => {
      socket.destroy()
      resolve(answer)
    }
    socket.once("connect", () => end(true)).once("error", () => end(false))
  })
}
