import { type ChildProcess, spawn } from "node:child_process"

const keptLines = 40

export interface ChildOptions {
  readonly name: string
  readonly program: string
  readonly args: readonly string[]
}

/** A real component that runs. Its output is kept only as far as it explains an early end. */
export class Child {
  readonly name: string
  readonly ended: Promise<void>
  readonly #process: ChildProcess
  #lines: string[] = []

  constructor({ name, program, args }: ChildOptions) {
    this.name = name
    this.#process = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] })
    for (const stream of [this.#process.stdout, this.#process.stderr]) stream?.on("data", (chunk: Buffer) => this.#keep(chunk))
    this.ended = new Promise((resolve) => {
      this.#process.once("exit", () => resolve())
      this.#process.once("error", (error) => {
        this.#keep(Buffer.from(error.message))
        resolve()
      })
    })
  }

  get running(): boolean {
    return this.#process.pid !== undefined && this.#process.exitCode === null && this.#process.signalCode === null
  }

  /** What it said last. */
  get output(): string {
    return this.#lines.join("\n")
  }

  /** Asks it to stop, and ends it when it has not after ten seconds. */
  async stop(): Promise<void> {
    if (!this.running) return
    this.#process.kill("SIGTERM")
    const timer = setTimeout(() => this.#process.kill("SIGKILL"), 10_000)
    await this.ended
    clearTimeout(timer)
  }

  /** For the way out of our own process, where nothing can be awaited any more. */
  kill(): void {
    if (this.running) this.#process.kill("SIGKILL")
  }

  #keep(chunk: Buffer): void {
    this.#lines = [...this.#lines, ...chunk.toString().split("\n").filter(Boolean)].slice(-keptLines)
  }
}
