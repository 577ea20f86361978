import type { KubeObject } from "@pilothouse/api"
import type { Frame } from "@pilothouse/seams"
import type { WatchEvent } from "./watch-stream.ts"

/** How the frames of a connection are read. */
export interface EventReading<T extends KubeObject, Item> {
  /** What is whole now: none, one or many events. */
  split(frame: Frame): readonly Item[]
  /** Called when the event is taken: one that cannot be read costs none before it. */
  event(item: Item): WatchEvent<T>
}

/**
 * The events of a watch. An iterator by hand and no generator: what has come already can be taken without waiting for a promise, of which a list
 * of ten thousand would need as many.
 *
 * Always true between calls: what has come and was not taken stands in #items from #next on; once it has ended, nothing does.
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

  /** One that has come already. */
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
      // A loop does not end what has thrown: nobody else would close the connection.
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
    // What is left of an event was cut in the middle: the connection broke, and the next watch brings it whole.
    if (done) this.#ended = true
    if (done || this.#ended) return
    const received = this.#reading.split(value)
    // Two may ask at once: what came for the first is not lost.
    this.#items = this.#next < this.#items.length ? [...this.#items.slice(this.#next), ...received] : received
    this.#next = 0
  }
}
