import type { KubeObject } from "@pilothouse/api"
import { PilothouseError } from "@pilothouse/seams"
import type { Notice } from "./change.ts"

/** Options of a subscription to an informer. */
export interface SubscriptionOptions {
  /** Changes that may wait for the reader, in addition to the initial ones; 1024 by default. */
  readonly limit?: number
  /**
   * What happens to a reader that is too slow. "end" (default): its subscription ends with an error, without effect on others;
   * it may subscribe again and receives everything from the start. "wait": the informer waits for it, all other handlers with it, and in the end the server.
   */
  readonly whenFull?: "end" | "wait"
  /** Name of the reader, for messages. */
  readonly name?: string
}

interface Hooks {
  /** Called with true when there is no room, with false when there is again. Only with "wait". */
  full(full: boolean): void
  end(): void
}

/**
 * The changes of an informer for an asynchronous reader. Can be iterated once.
 *
 * Invariant: notices leave in the order they came; no more than `limit` wait, beside the initial ones and, with "wait",
 * those of the batch that filled it; after the end nothing is added, and what is queued is still read.
 */
export class Subscription<T extends KubeObject> implements AsyncIterable<Notice<T>>, Disposable {
  readonly #options: Required<SubscriptionOptions>
  readonly #hooks: Hooks
  #notices: Notice<T>[] = []
  #head = 0
  /** Queued notices that count against the limit. */
  #live = 0
  #isFull = false
  #ended = false
  #error: PilothouseError | undefined
  #notifyReader: (() => void) | undefined

  constructor({ limit = 1024, whenFull = "end", name = "a subscription" }: SubscriptionOptions, hooks: Hooks) {
    this.#options = { limit, whenFull, name }
    this.#hooks = hooks
  }

  /** Number of queued notices. */
  get waiting(): number {
    return this.#notices.length - this.#head
  }

  /** True when no more notices follow: the reader or the informer ended, or the reader was too slow. */
  get ended(): boolean {
    return this.#ended
  }

  push(notice: Notice<T>): void {
    if (this.#ended) return
    const { limit, whenFull } = this.#options
    if (!notice.initial && this.#live >= limit && whenFull === "end") return this.#endAsTooSlow()
    this.#notices.push(notice)
    if (!notice.initial) this.#live++
    if (whenFull === "wait" && this.#live >= limit) this.#setFull(true)
    this.#notifyReader?.()
  }

  /** Ends the subscription. Queued notices are still read. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#setFull(false)
    this.#hooks.end()
    this.#notifyReader?.()
  }

  [Symbol.dispose](): void {
    this.#notices = []
    this.#head = 0
    this.end()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Notice<T>, void, undefined> {
    try {
      for (;;) {
        const notice = this.#take()
        if (notice !== undefined) yield notice
        else if (this.#error !== undefined) throw this.#error
        else if (this.#ended) return
        else await this.#nextNotice()
      }
    } finally {
      this[Symbol.dispose]()
    }
  }

  #take(): Notice<T> | undefined {
    const notice = this.#notices[this.#head]
    if (notice === undefined) return undefined
    this.#head++
    if (this.#head === this.#notices.length || this.#head > this.#options.limit) {
      this.#notices = this.#notices.slice(this.#head)
      this.#head = 0
    }
    if (!notice.initial) this.#live--
    // Room is reported at half the limit: resuming the informer for every notice would cost more than the notice.
    if (this.#live <= this.#options.limit / 2) this.#setFull(false)
    return notice
  }

  #setFull(full: boolean): void {
    if (this.#isFull === full) return
    this.#isFull = full
    this.#hooks.full(full)
  }

  #endAsTooSlow(): void {
    const { name, limit } = this.#options
    this.#error = new PilothouseError(
      "COMPACTED",
      `${name} fell more than ${limit} changes behind and was ended; subscribe again to receive everything from the start`,
    )
    this.end()
  }

  #nextNotice(): Promise<void> {
    return new Promise((resolve) => {
      this.#notifyReader = () => {
        this.#notifyReader = undefined
        resolve()
      }
    })
  }
}
