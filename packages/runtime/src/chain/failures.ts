import { type Clock, messageOf } from "@pilothouse/seams"

/** An object whose handlers fail again and again. */
export interface StuckTask {
  readonly kind: string
  readonly key: string
  readonly attempts: number
  /** When the first attempt failed, in milliseconds since 1970. */
  readonly since: number
  readonly error: string
  /** It is gone and its handlers are not called any more; an object that exists is tried for as long as it does. */
  readonly givenUp: boolean
}

interface Failed {
  readonly task: StuckTask
  readonly gone: boolean
}

/** What was given up is remembered, but not for ever. */
const maxGivenUp = 100

/**
 * Always true between calls: an object stands here exactly when its last attempt failed, or it was given up and nothing was heard of it since;
 * its attempts are those of one thing to tell: that it is there in some state, or that one object is gone.
 */
export class Failures {
  readonly #clock: Clock
  readonly #failed = new Map<string, Failed>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  failed(id: string, object: { readonly kind: string; readonly key: string; readonly gone: boolean }, error: unknown): StuckTask {
    const { kind, key, gone } = object
    const before = this.#before(id, gone)
    const since = before?.since ?? this.#clock.now()
    const task = { kind, key, attempts: (before?.attempts ?? 0) + 1, since, error: messageOf(error), givenUp: false }
    this.#failed.set(id, { task, gone })
    return task
  }

  /** A delete has its own attempts: those of an update that was stuck before must not use them up. What was given up is over. */
  #before(id: string, gone: boolean): StuckTask | undefined {
    const before = this.#failed.get(id)
    return before?.gone === gone && !before.task.givenUp ? before.task : undefined
  }

  givenUp(id: string): void {
    const entry = this.#failed.get(id)
    if (entry === undefined) return
    this.#failed.delete(id)
    this.#failed.set(id, { ...entry, task: { ...entry.task, givenUp: true } })
    const all = [...this.#failed].filter(([, { task }]) => task.givenUp)
    for (const [oldest] of all.slice(0, -maxGivenUp)) this.#failed.delete(oldest)
  }

  succeeded(id: string): void {
    this.#failed.delete(id)
  }

  stuckAfter(attempts: number): readonly StuckTask[] {
    return [...this.#failed.values()].map(({ task }) => task).filter((task) => task.attempts >= attempts)
  }
}
