import type { KubeObject } from "@pilothouse/api"
import { PilothouseError } from "@pilothouse/seams"
import type { Notice } from "./change.ts"

/** How a subscription to an informer is told. */
export interface SubscriptionOptions {
  /** Changes that may wait for the reader, beside those of the beginning; 1024 unless told otherwise. */
  readonly limit?: number
  /**
   * What becomes of a reader that is too slow. "end" unless told otherwise: its subscription ends with an error, and nobody else notices;
   * it subscribes again and is told everything as at the start. "wait": the informer waits for it, all other handlers with it, and in the end the server.
   */
  readonly whenFull?: "end" | "wait"
  /** Who reads, for messages. */
  readonly name?: string
}

interface Hooks {
  /** There is no room any more, or again. Only called where the informer is to wait. */
  full(full: boolean): void
  end(): void
}

/**
 * The changes of an informer for a reader that waits between them. To be read once.
 *
 * Always true between calls: notices leave in the order they came; no more than `limit` wait, beside the initial ones and, with "wait",
 * those of the batch that filled it; after the end nothing is taken in, and what came before is still read.
 */
export class Subscription<T extends KubeObject> implements AsyncIterable<Notice<T>>, Disposable {
  readonly #options: Required<SubscriptionOptions>
  readonly #hooks: Hooks
  #notices: Notice<T>[] = []
  #head = 0
  /** Waiting notices that count against the limit. */
  #live = 0
  #isFull = false
  #ended = false
  #error: PilothouseError | undefined
  #notifyReader: (() => void) | undefined

  constructor({ limit = 1024, whenFull = "end", name = "a subscription" }: SubscriptionOptions, hooks: Hooks) {
    this.#options = { limit, whenFull, name }
    this.#hooks = hooks
  }

  /** Notices that wait for the reader. */
  get waiting(): number {
    return this.#notices.length - this.#head
  }

  /** No more will come: the reader or the informer left, or the reader was too slow. */
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

  /** No more will come. What waits is still read. */
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
    // Half of the room at once: waking the informer for every single notice would cost more than the notice.
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
      `${name} fell more than ${limit} changes behind and was ended; subscribe again to be told everything as at the start`,
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
