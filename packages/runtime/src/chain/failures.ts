import { type Clock, messageOf } from "@pilothouse/seams"

/** An object whose handlers fail repeatedly. */
export interface StuckTask {
  readonly kind: string
  readonly key: string
  readonly attempts: number
  /** When the first attempt failed, in milliseconds since 1970. */
  readonly since: number
  readonly error: string
  /** It is deleted and not retried any more; an existing object is retried for as long as it exists. */
  readonly givenUp: boolean
}

interface Failed {
  readonly task: StuckTask
  readonly gone: boolean
}

/** Given-up tasks that are kept. */
const maxGivenUp = 100

/**
 * Invariant: an object is here exactly when its last attempt failed, or it was given up and has not changed since;
 * attempts of its states and of its deletion are counted separately.
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

  /** A delete has its own attempts: those of an earlier failing update do not count. A given-up task starts again. */
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
