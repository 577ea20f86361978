import { type ChildProcess, spawn } from "node:child_process"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { findProgram } from "../../../packages/cli/bin/find-program.js"
import type { Answer, Question } from "./observer.ts"
import { until, within } from "./waiting.ts"

/** Milliseconds. What is right takes a second or two on a busy machine. */
const startTime = 60_000
const observer = fileURLToPath(new URL("observer.ts", import.meta.url))

export interface ProgramOptions {
  /** Of the process, beside this one's. */
  readonly environment?: Readonly<Record<string, string>>
  /** What runs it: ["unshare", "--pid"]. */
  readonly wrapper?: readonly string[]
  readonly directory?: string
}

/**
 * The pilothouse command in a process of its own, with the observer in it: what the launcher would start, without the launcher, so that signals and
 * descriptors are the program's own.
 */
export class Program {
  readonly args: readonly string[]
  readonly #child: ChildProcess
  readonly #ended: Promise<number | string>
  readonly #answers = new Map<number, (value: number) => void>()
  #output = ""
  #questions = 0
  #isOver = false

  constructor(args: readonly string[], { environment, wrapper = [], directory }: ProgramOptions = {}) {
    this.args = args
    const node = [process.execPath, "--disable-warning=ExperimentalWarning", "--import", observer, ...nodeArguments(args)]
    const [program, ...rest] = [...wrapper, ...node]
    const env = { ...process.env, ...environment }
    this.#child = spawn(program!, rest, { stdio: ["ignore", "pipe", "pipe", "ipc"], env, cwd: directory })
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.on("data", (chunk: Buffer) => {
        this.#output = (this.#output + chunk.toString()).slice(-100_000)
      })
    this.#child.on("message", ({ id, value }: Answer) => this.#answers.get(id)?.(value))
    this.#ended = new Promise((resolve) => {
      const end = (result: number | string) => {
        this.#isOver = true
        resolve(result)
      }
      this.#child.once("close", (code, signal) => end(signal ?? code ?? -1))
      this.#child.once("error", (error) => end(error.message))
    })
  }

  get pid(): number {
    return this.#child.pid ?? 0
  }

  /** What it wrote, the last of it. */
  get output(): string {
    return this.#output
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Exit code or signal. */
  get ended(): Promise<number | string> {
    return this.#ended
  }

  /** Rejects where it ends before. */
  async untilSays(text: string): Promise<void> {
    await until(
      `${this.args[0]} to say ${JSON.stringify(text)}`,
      async () => {
        if (!this.#output.includes(text) && this.#isOver)
          throw new Error(`pilothouse ${this.args[0]} ended while it started: ${this.#output}`)
        return this.#output.includes(text)
      },
      startTime,
    )
  }

  /** Of the observer in it; undefined where the main thread does not answer in time. */
  async ask(ask: Question["ask"], limit: number, milliseconds?: number): Promise<number | undefined> {
    const id = ++this.#questions
    const answered = new Promise<number>((resolve) => this.#answers.set(id, resolve))
    if (this.#isOver || !this.#child.connected) return undefined
    this.#child.send({ id, ask, milliseconds } satisfies Question, () => {})
    return await within(answered, limit)
  }

  /** How many descriptors it has; 0 where it is gone. */
  get descriptors(): number {
    return entriesOf(`/proc/${this.pid}/fd`).length
  }

  /** What they lead to: "socket:[1234]", "anon_inode:[eventpoll]", "/dev/null". */
  get descriptorTargets(): readonly string[] {
    return entriesOf(`/proc/${this.pid}/fd`).map((name) => targetOf(`/proc/${this.pid}/fd/${name}`))
  }

  /** Megabytes that it has in memory, at the moment. */
  get resident(): number {
    try {
      return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${this.pid}/status`, "utf8"))?.[1] ?? 0) / 1024
    } catch {
      // It is gone.
      return 0
    }
  }

  signal(name: NodeJS.Signals): void {
    if (!this.#isOver) this.#child.kill(name)
  }

  /** Milliseconds until it ended after SIGTERM, and how; undefined where it did not in time, and is then killed. */
  async end(limit: number): Promise<{ readonly result: number | string; readonly milliseconds: number } | undefined> {
    const begun = performance.now()
    this.signal("SIGTERM")
    const result = await within(this.#ended, limit)
    if (result !== undefined) return { result, milliseconds: performance.now() - begun }
    await this.kill()
    return undefined
  }

  async kill(): Promise<void> {
    this.signal("SIGKILL")
    await this.#ended
  }
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link)
  } catch {
    // It was closed in the meantime.
    return "closed"
  }
}

/** What Node is given to run the pilothouse command with these arguments. */
export function nodeArguments(args: readonly string[]): readonly string[] {
  const { file, flags } = findProgram()
  return [...flags, file, ...args]
}

/** Names in a directory; none where it is gone. */
export function entriesOf(directory: string): readonly string[] {
  try {
    return readdirSync(directory)
  } catch {
    // The process ended in the meantime.
    return []
  }
}

/** What `up --json` says of itself. */
export interface UpFacts {
  readonly server: string
  readonly kubeconfig: string
  readonly discovery: string
  readonly discoveryDebug: string
  readonly openstack?: string
}

export interface Up {
  readonly program: Program
  readonly facts: UpFacts
  readonly port: number
}

/** `pilothouse up` that is up. */
export async function startUp(directory: string, flags: readonly string[], options?: ProgramOptions): Promise<Up> {
  const program = new Program(["up", "--json", "--port", "0", "--data-dir", directory, ...flags], options)
  await program.untilSays('"milliseconds"')
  const line = program.output.split("\n").find((text) => text.startsWith('{"server"'))
  const facts: UpFacts = JSON.parse(line ?? "{}")
  return { program, facts, port: Number(new URL(facts.server).port) }
}

/** `pilothouse apiserver` that is up: what a `pilothouse run` works on. */
export async function startApiServer(directory: string): Promise<{ readonly program: Program; readonly kubeconfig: string }> {
  const program = new Program(["apiserver", "--secure-port", "0", "--ephemeral", "--data-dir", directory])
  await program.untilSays("is up at")
  return { program, kubeconfig: join(directory, "kubeconfig") }
}
