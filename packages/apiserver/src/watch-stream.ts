import type { Frame } from "@pilothouse/seams"

/**
 * The events of one watch on their way to its reader.
 *
 * Always true between calls: events leave in the order they came in; no more than `limit` wait, beside those of the beginning;
 * after the end nothing is taken in, and what was taken in before is still read.
 */
export class WatchStream implements AsyncIterable<Frame> {
  /** What there was when the watch began, or came since the revision it began at. It may be more than the limit: it is held anyway, by the store. */
  readonly #beginning: Iterator<Frame>
  readonly #limit: number
  readonly #onEnd: () => void
  #waiting: Frame[] = []
  #next = 0
  #wake: (() => void) | undefined
  #ended = false

  constructor(beginning: Iterable<Frame>, limit: number, onEnd: () => void) {
    this.#beginning = beginning[Symbol.iterator]()
    this.#limit = limit
    this.#onEnd = onEnd
  }

  get ended(): boolean {
    return this.#ended
  }

  /** False when the reader is so far behind that the watch has to be cut. */
  push(frame: Frame): boolean {
    if (this.#ended) return true
    if (this.#waiting.length - this.#next >= this.#limit) return false
    this.#waiting.push(frame)
    this.#wake?.()
    return true
  }

  end(): void {
    if (this.#ended) return
    this.#ended = true
    this.#onEnd()
    this.#wake?.()
  }

  /** Forgets what nobody will read. */
  cut(): void {
    this.#waiting = []
    this.#next = 0
    this.end()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Frame> {
    try {
      for (let first = this.#beginning.next(); !first.done; first = this.#beginning.next()) yield first.value
      for (;;) {
        const frame = this.#take()
        if (frame !== undefined) yield frame
        else if (this.#ended) return
        else await this.#news()
      }
    } finally {
      this.cut()
    }
  }

  #take(): Frame | undefined {
    const frame = this.#waiting[this.#next]
    if (frame === undefined) return undefined
    this.#next++
    // Moving the rest to the front at every event would cost more than it saves.
    if (this.#next > 1024 && this.#next * 2 > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#next)
      this.#next = 0
    }
    return frame
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
