import type { PilothouseError } from "@pilothouse/seams"
import type { Revision } from "../storage.ts"

/** Something that was accepted and waits to be durable. */
export interface Entry {
  readonly texts: readonly string[]
  /** The revision of its last write; left out by a caller that writes nothing, and checks only whether it could. */
  readonly last?: Revision
  /** Makes it visible. Never throws: it is durable already. */
  apply(): void
  /** Forgets it: it was answered with an error. */
  drop(): void
}

interface Waiting extends Entry {
  resolve(): void
  reject(reason: unknown): void
}

export interface GroupCommitOptions {
  /** Ends when it is durable. Without a last revision there is nothing to write: ends when there would be room for the newest that failed. */
  write(text: string, last: Revision | undefined): Promise<void>
  /** Lets those who were answered come back. */
  turn(): Promise<void>
  failed(cause: unknown): PilothouseError
  /** Whether nothing can be written after this any more. */
  lasts(cause: unknown): boolean
}

/** One batch has at most so many characters, unless one entry alone has more. */
const batchLimit = 8 * 1024 * 1024

/**
 * Writes what was accepted in batches: commits that arrive while one is under way share the next.
 *
 * Invariant: entries become durable and visible in the order they were added; at most one write is under way;
 * after a failure that lasts nothing is written any more.
 */
export class GroupCommit {
  readonly #options: GroupCommitOptions
  #waiting: Waiting[] = []
  #running: Promise<void> | undefined
  /** Of the newest write. */
  #failure: PilothouseError | undefined
  #stopped = false
  #size = 0
  #newest: Promise<void> = Promise.resolve()

  constructor(options: GroupCommitOptions) {
    this.#options = options
  }

  /** Writes that were accepted and are not durable yet. */
  get size(): number {
    return this.#size
  }

  /** Why the newest write was not made. */
  get failure(): PilothouseError | undefined {
    return this.#failure
  }

  /** Why no write is taken any more. */
  get end(): PilothouseError | undefined {
    return this.#stopped ? this.#failure : undefined
  }

  /** Ends when the entry is durable and visible. */
  add(entry: Entry): Promise<void> {
    this.#size += entry.texts.length
    this.#newest = new Promise((resolve, reject) => {
      this.#waiting.push({ ...entry, resolve, reject })
    })
    this.#running ??= this.#run()
    return this.#newest
  }

  /** Ends when it is known whether a write could be made now. Never throws: `failure` says why not. */
  async check(): Promise<void> {
    const nothing = () => {}
    await this.add({ texts: [], apply: nothing, drop: nothing }).catch(nothing)
  }

  /** Ends when everything added so far is durable. */
  durable(): Promise<void> {
    return this.#newest
  }

  /** Ends when nothing is under way, however it ended. */
  async idle(): Promise<void> {
    await this.#running
  }

  /** Refuses every write from now on, also one that is under way: something else has shown that the disk cannot be relied on. */
  fail(cause: unknown): void {
    if (this.#stopped) return
    this.#failure = this.#options.failed(cause)
    this.#stopped = true
  }

  async #run(): Promise<void> {
    // Commits of the same instant are in the first batch.
    await Promise.resolve()
    while (this.#waiting.length > 0) {
      const batch = this.#take()
      const writers = batch.length + this.#waiting.length
      await this.#write(batch)
      // With several writers, those just answered come back in microseconds: the next sync is then for all of them, not for every other one.
      if (writers > 1) await this.#options.turn()
    }
    this.#running = undefined
  }

  #take(): Waiting[] {
    let length = 0
    const over = this.#waiting.findIndex(({ texts }, index) => {
      length += texts.reduce((sum, text) => sum + text.length, 0)
      return index > 0 && length > batchLimit
    })
    return this.#waiting.splice(0, over < 0 ? this.#waiting.length : over)
  }

  async #write(batch: readonly Waiting[]): Promise<void> {
    const failure = this.end ?? (await this.#failureOf(batch))
    this.#failure = failure
    if (failure !== undefined) {
      for (const entry of [...batch, ...this.#waiting.splice(0)]) this.#refuse(entry, failure)
      return
    }
    for (const entry of batch) {
      this.#size -= entry.texts.length
      entry.apply()
      entry.resolve()
    }
  }

  /** Writes a batch. Answers why it is not acknowledged, also where that came from elsewhere meanwhile. */
  async #failureOf(batch: readonly Waiting[]): Promise<PilothouseError | undefined> {
    try {
      const last = batch.findLast((entry) => entry.last !== undefined)?.last
      await this.#options.write(`[${batch.flatMap(({ texts }) => texts).join(",")}]`, last)
      return this.end
    } catch (error) {
      if (this.end !== undefined) return this.end
      const failure = this.#options.failed(error)
      this.#stopped = this.#options.lasts(error)
      return failure
    }
  }

  #refuse(entry: Waiting, reason: PilothouseError): void {
    this.#size -= entry.texts.length
    entry.drop()
    entry.reject(reason)
  }
}
