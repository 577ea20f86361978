import type { KubeObject } from "@pilothouse/api"
import type { Clock } from "@pilothouse/seams"
import type { WatchOptions } from "../client/options.ts"
import type { WatchEvent } from "../client/wire/watch-stream.ts"
import { IdleGuard } from "./idle-guard.ts"
import type { WatchSource } from "./watch-source.ts"

export interface OpenWatchOptions<T extends KubeObject> {
  readonly source: WatchSource<T>
  readonly clock: Clock
  readonly name: string
  readonly outer: AbortSignal
  readonly silence?: number
}

/** Some sources say what has come already. */
type Events<T extends KubeObject> = AsyncIterator<WatchEvent<T>> & { buffered?(): WatchEvent<T> | undefined }

/** A watch that is under way. Whoever holds it disposes it: that ends the request. */
export class OpenWatch<T extends KubeObject> implements Disposable {
  readonly #guard: IdleGuard
  readonly #events: Events<T>
  /** When the server was asked to end it, in what elapsed() says. */
  readonly deadline: number

  private constructor(guard: IdleGuard, events: Events<T>, deadline: number) {
    this.#guard = guard
    this.#events = events
    this.deadline = deadline
  }

  static async open<T extends KubeObject>({ source, ...guarded }: OpenWatchOptions<T>, options: WatchOptions): Promise<OpenWatch<T>> {
    const guard = new IdleGuard(guarded)
    const deadline = guarded.clock.elapsed() + (options.timeoutSeconds ?? 0) * 1000
    try {
      const events = await source.watch({ ...options, signal: guard.signal })
      guard.touch()
      return new OpenWatch(guard, events[Symbol.asyncIterator](), deadline)
    } catch (error) {
      // The guard ends a request that is never answered by aborting it; what happened is the silence, not the abort.
      const cause = guard.lost ?? error
      guard[Symbol.dispose]()
      throw cause
    }
  }

  /** An event that has come already, and needs no waiting; undefined says nothing about what will come. */
  buffered(): WatchEvent<T> | undefined {
    return this.#guard.lost === undefined ? this.#events.buffered?.() : undefined
  }

  /** The next event; undefined when the server ended the watch. Throws CONNECTION_LOST when it broke, or has been silent for too long. */
  async next(): Promise<WatchEvent<T> | undefined> {
    const guard = this.#guard
    try {
      const next = await this.#events.next()
      guard.touch()
      if (guard.lost === undefined) return next.done ? undefined : next.value
    } catch (error) {
      throw guard.lost ?? error
    }
    throw guard.lost
  }

  /** Waits for something on our side, without taking the silence for a broken connection. */
  pauseWhile(work: Promise<void>): Promise<void> {
    return this.#guard.pauseWhile(work)
  }

  [Symbol.dispose](): void {
    this.#guard[Symbol.dispose]()
    // Ends a generator that stands at a yield, and runs its clean-up; one that has ended does not mind, and nobody waits for its answer.
    void this.#events.return?.().catch(() => {})
  }
}
