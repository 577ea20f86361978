import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { expressions, rules } from "./cases.ts"

/** How often something was done in how long. */
export interface Count {
  readonly operations: number
  readonly nanoseconds: number
}

/** The program around cel-go: it is requested for one round at a time, and idle in between. */
export class CelGo implements AsyncDisposable {
  private readonly child: ChildProcess
  private readonly answers: AsyncIterator<string>

  constructor(path: string) {
    this.child = spawn(path, { stdio: ["pipe", "pipe", "inherit"] })
    this.answers = createInterface({ input: this.child.stdout! })[Symbol.asyncIterator]()
    this.write([...expressions, rules])
  }

  async measure(index: number, operation: "compile" | "evaluate", milliseconds: number): Promise<Count> {
    this.write({ case: index, operation, milliseconds })
    const { value, done } = await this.answers.next()
    if (done) throw new Error("cel-evaluations ended early; its own words are above")
    return JSON.parse(value) as Count
  }

  private write(value: unknown): void {
    this.child.stdin?.write(`${JSON.stringify(value)}\n`)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.child, "exit")
    this.child.stdin?.end()
    await ended
  }
}
