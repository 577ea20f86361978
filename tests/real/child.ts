import { type ChildProcess, spawn } from "node:child_process"
import { createInterface } from "node:readline"

const keptLines = 40

export interface ChildOptions {
  readonly name: string
  readonly program: string
  readonly args: readonly string[]
  /** Where it runs; here by default. */
  readonly directory?: string
  /** Added to the environment of this process. */
  readonly environment?: Readonly<Record<string, string>>
  /** Told every line that it says. */
  readonly onLine?: (line: string) => void
}

/** A real component that runs. Its output is kept only as far as it explains an early end. */
export class Child {
  readonly name: string
  readonly ended: Promise<void>
  readonly #process: ChildProcess
  readonly #onLine: ((line: string) => void) | undefined
  #lines: string[] = []

  constructor({ name, program, args, directory, environment, onLine }: ChildOptions) {
    this.name = name
    this.#onLine = onLine
    this.#process = spawn(program, args, { cwd: directory, env: { ...process.env, ...environment }, stdio: ["ignore", "pipe", "pipe"] })
    for (const stream of [this.#process.stdout, this.#process.stderr])
      if (stream) createInterface({ input: stream }).on("line", (line) => this.#keep(line))
    this.ended = new Promise((resolve) => {
      this.#process.once("exit", () => resolve())
      this.#process.once("error", (error) => {
        this.#keep(error.message)
        resolve()
      })
    })
  }

  get running(): boolean {
    return this.#process.pid !== undefined && this.#process.exitCode === null && this.#process.signalCode === null
  }

  /** Zero when it did not start. */
  get pid(): number {
    return this.#process.pid ?? 0
  }

  /** What it said last. */
  get output(): string {
    return this.#lines.slice(-keptLines).join("\n")
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

  #keep(line: string): void {
    if (line === "") return
    this.#onLine?.(line)
    this.#lines.push(line)
    if (this.#lines.length > 2 * keptLines) this.#lines = this.#lines.slice(-keptLines)
  }
}
