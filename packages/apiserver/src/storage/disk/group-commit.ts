import type { PilothouseError } from "@pilothouse/seams"
import type { Revision } from "../storage.ts"

/** Something that was accepted and waits to be durable. */
export interface Entry {
  readonly texts: readonly string[]
  /** The revision of its last write; left out by what writes nothing, and wants to know only whether it could. */
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
 * Writes what was accepted in batches: whoever comes while one is under way shares the next.
 *
 * Always true between calls: entries become durable and visible in the order they were added; at most one write is under way;
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

  /** Ends when everything added so far is durable. */
  durable(): Promise<void> {
    return this.#newest
  }

  /** Ends when nothing is under way, however it ended. */
  async idle(): Promise<void> {
    await this.#running
  }

  async #run(): Promise<void> {
    // Whoever commits in the same instant is in the first batch.
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
    try {
      const last = batch.findLast((entry) => entry.last !== undefined)?.last
      await this.#options.write(`[${batch.flatMap(({ texts }) => texts).join(",")}]`, last)
    } catch (error) {
      this.#failure = this.#options.failed(error)
      this.#stopped = this.#options.lasts(error)
      for (const entry of [...batch, ...this.#waiting.splice(0)]) this.#refuse(entry, this.#failure)
      return
    }
    this.#failure = undefined
    for (const entry of batch) {
      this.#size -= entry.texts.length
      entry.apply()
      entry.resolve()
    }
  }

  #refuse(entry: Waiting, reason: PilothouseError): void {
    this.#size -= entry.texts.length
    entry.drop()
    entry.reject(reason)
  }
}
