import type { KubeObject } from "@pilothouse/api"
import type { Frame } from "@pilothouse/seams"
import type { WatchEvent } from "./watch-stream.ts"

/** How frames become events. */
export interface EventReading<T extends KubeObject, Item> {
  /** Returns the events that are complete now. */
  split(frame: Frame): readonly Item[]
  /** Called when the event is read: one that cannot be parsed does not lose those before it. */
  event(item: Item): WatchEvent<T>
}

/**
 * The events of a watch. A hand-written iterator instead of a generator: buffered events are read without a promise, of which a list
 * of ten thousand would need as many.
 *
 * Invariant: unread events are in #items from #next on; none once it has ended.
 */
export class EventStream<T extends KubeObject, Item> implements AsyncIterableIterator<WatchEvent<T>> {
  readonly #frames: AsyncIterator<Frame>
  readonly #reading: EventReading<T, Item>
  #items: readonly Item[] = []
  #next = 0
  #ended = false

  constructor(frames: AsyncIterable<Frame>, reading: EventReading<T, Item>) {
    this.#frames = frames[Symbol.asyncIterator]()
    this.#reading = reading
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  /** Returns an event that was received already, or undefined. */
  buffered(): WatchEvent<T> | undefined {
    return this.#next < this.#items.length ? this.#reading.event(this.#items[this.#next++]!) : undefined
  }

  async next(): Promise<IteratorResult<WatchEvent<T>, undefined>> {
    try {
      for (;;) {
        const event = this.buffered()
        if (event !== undefined) return { done: false, value: event }
        if (this.#ended) return { done: true, value: undefined }
        await this.#receive()
      }
    } catch (error) {
      // `for await` does not call return() after a throw: the connection is closed here.
      await this.return().catch(() => undefined)
      throw error
    }
  }

  async return(): Promise<IteratorResult<WatchEvent<T>, undefined>> {
    const wasEnded = this.#ended
    this.#ended = true
    this.#items = []
    if (!wasEnded) await this.#frames.return?.()
    return { done: true, value: undefined }
  }

  async #receive(): Promise<void> {
    const { done, value } = await this.#frames.next()
    // A partial event at the end means a broken connection; the next watch brings it whole.
    if (done) this.#ended = true
    if (done || this.#ended) return
    const received = this.#reading.split(value)
    // Two calls may be concurrent: events received for the first are kept.
    this.#items = this.#next < this.#items.length ? [...this.#items.slice(this.#next), ...received] : received
    this.#next = 0
  }
}
