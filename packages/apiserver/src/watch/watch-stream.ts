import type { Frame } from "@pilothouse/seams"
import type { Revision } from "../storage/storage.ts"

/** A buffered event, and the revision of its change. */
export interface WatchEvent {
  readonly frame: Frame
  readonly revision: Revision
}

export interface WatchStreamOptions {
  /** What there is when the watch begins: read as the answer to a list is, however long that takes. */
  readonly initial: Iterable<Frame> | AsyncIterable<Frame>
  /** Of the events that may wait, beside those that are replayed. */
  readonly limit: number
  /** Nothing is taken in any more; something may still wait. */
  onEnd(): void
  /** The stream has ended and nothing waits any more. May come twice. */
  onDone(): void
}

/**
 * The events of one watch on their way to its reader.
 *
 * Invariant: events leave in the order they came in; from `#next` on they wait, those before `#replay` being of the past,
 * and no more than the limit behind it; of those that have left nothing is held. After the end nothing is taken in, and what was taken in before is still read.
 */
export class WatchStream implements AsyncIterable<Frame> {
  readonly #options: WatchStreamOptions
  #waiting: (WatchEvent | undefined)[] = []
  #next = 0
  #replay = 0
  #wake: (() => void) | undefined
  #ended = false

  constructor(options: WatchStreamOptions) {
    this.#options = options
  }

  get ended(): boolean {
    return this.#ended
  }

  get done(): boolean {
    return this.#ended && this.oldest === undefined
  }

  /** The revision of the first buffered event: a history that holds it and those behind it holds all that is buffered here. */
  get oldest(): Revision | undefined {
    return this.#waiting[this.#next]?.revision
  }

  /** What came before the watch did, and behind the revision that it begins at: no reader is too slow for that. */
  replay(event: WatchEvent): void {
    if (this.#ended) return
    this.#waiting.push(event)
    this.#replay = this.#waiting.length
    this.#wake?.()
  }

  /** The last event, however many wait: why the watch ends. */
  fail(event: WatchEvent): void {
    if (this.#ended) return
    this.#waiting.push(event)
    this.end()
  }

  /** False when the reader is so far behind that the watch has to be cut. */
  push(event: WatchEvent): boolean {
    if (this.#ended) return true
    if (this.#waiting.length - Math.max(this.#next, this.#replay) >= this.#options.limit) return false
    this.#waiting.push(event)
    this.#wake?.()
    return true
  }

  end(): void {
    if (!this.#ended) {
      this.#ended = true
      this.#options.onEnd()
      this.#wake?.()
    }
    if (this.done) this.#options.onDone()
  }

  /** Nothing more but the rest of the past: so a reader that is too slow comes further with every try. */
  cut(): void {
    this.#waiting.length = Math.max(this.#next, this.#replay)
    this.end()
  }

  /** Nothing more at all. */
  forget(): void {
    this.#begin([])
    this.end()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Frame> {
    try {
      yield* this.#options.initial
      for (;;) {
        const frame = this.#take()
        if (frame !== undefined) yield frame
        else if (this.#ended) return
        else await this.#news()
      }
    } finally {
      this.forget()
    }
  }

  #take(): Frame | undefined {
    const event = this.#waiting[this.#next]
    if (event === undefined) return undefined
    this.#waiting[this.#next++] = undefined
    if (this.#next === this.#waiting.length) this.#begin([])
    // Moving the rest to the front at every event would cost more than it saves.
    else if (this.#next > 1024 && this.#next * 2 > this.#waiting.length) this.#begin(this.#waiting.slice(this.#next))
    return event.frame
  }

  #begin(waiting: (WatchEvent | undefined)[]): void {
    this.#waiting = waiting
    this.#replay = Math.max(0, this.#replay - this.#next)
    this.#next = 0
  }

  #news(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = undefined
        resolve()
      }
    })
  }
}
