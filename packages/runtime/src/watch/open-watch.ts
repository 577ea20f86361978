import type { KubeObject } from "@pilothouse/api"
import type { Clock } from "@pilothouse/seams"
import type { WatchOptions } from "../client/wire/options.ts"
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

/** Some sources have buffered events. */
type Events<T extends KubeObject> = AsyncIterator<WatchEvent<T>> & { buffered?(): WatchEvent<T> | undefined }

/** An open watch. The owner disposes it, which ends the request. */
export class OpenWatch<T extends KubeObject> implements Disposable {
  readonly #guard: IdleGuard
  readonly #events: Events<T>
  /** When the server is to end it, as elapsed(). */
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
      // The guard aborts a request without a response; the error is the silence, not the abort.
      const cause = guard.lost ?? error
      guard[Symbol.dispose]()
      throw cause
    }
  }

  /** Returns a buffered event, or undefined where none is buffered. */
  buffered(): WatchEvent<T> | undefined {
    return this.#guard.lost === undefined ? this.#events.buffered?.() : undefined
  }

  /** Resolves with the next event; undefined when the server ended the watch. Throws CONNECTION_LOST when it broke, or was silent for too long. */
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

  /** Waits for local work without counting the silence. */
  pauseWhile(work: Promise<void>): Promise<void> {
    return this.#guard.pauseWhile(work)
  }

  [Symbol.dispose](): void {
    this.#guard[Symbol.dispose]()
    // Ends a suspended generator and runs its clean-up; its result is not awaited.
    void this.#events.return?.().catch(() => {})
  }
}
