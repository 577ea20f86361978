import type { ChildProcess } from "node:child_process"
import { once } from "node:events"
import { memoryOf } from "../up/embedded.ts"

/** A process that is weighed, and that ends with this one. Always true: until it is disposed of, it is killed if this process exits. */
export class MeasuredProcess implements AsyncDisposable {
  protected readonly child: ChildProcess
  readonly #stopBy: NodeJS.Signals

  /** `stopBy`: how it is asked to end when it is disposed of. */
  constructor(child: ChildProcess, stopBy: NodeJS.Signals) {
    this.child = child
    this.#stopBy = stopBy
    process.once("exit", this.#kill)
  }

  /** Megabytes. */
  memory(): number {
    return memoryOf(this.child.pid ?? 0)
  }

  /** kill -9. */
  async kill(): Promise<void> {
    await this.#end("SIGKILL")
  }

  async [Symbol.asyncDispose](): Promise<void> {
    process.removeListener("exit", this.#kill)
    if (this.child.exitCode === null && this.child.signalCode === null) await this.#end(this.#stopBy)
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const over = once(this.child, "exit")
    this.child.kill(signal)
    await over
  }

  readonly #kill = () => void this.child.kill("SIGKILL")
}
