import { Worker } from "node:worker_threads"

/**
 * Group commit over SQLite in a worker: writes that come while a transaction is under way share the next.
 *
 * Invariant: at most one transaction is under way.
 */
export class SqliteLog {
  readonly #worker: Worker
  #rows: (readonly [number, string, string])[] = []
  #waiting: (() => void)[] = []
  #underWay: readonly (() => void)[] | undefined
  #revision = 0

  constructor(path: string) {
    this.#worker = new Worker(new URL("sqlite-worker.ts", import.meta.url), { workerData: path })
    this.#worker.on("message", () => {
      for (const resolve of this.#underWay ?? []) resolve()
      this.#underWay = undefined
      queueMicrotask(() => this.#send())
    })
  }

  write(key: string, value: unknown): Promise<void> {
    return new Promise((resolve) => {
      this.#rows.push([++this.#revision, key, JSON.stringify(value)])
      this.#waiting.push(resolve)
      queueMicrotask(() => this.#send())
    })
  }

  async close(): Promise<void> {
    await this.#worker.terminate()
  }

  #send(): void {
    if (this.#underWay !== undefined || this.#rows.length === 0) return
    this.#underWay = this.#waiting.splice(0)
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    this.#worker.postMessage(this.#rows.splice(0))
  }
}
