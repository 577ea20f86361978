import { abortable } from "@pilothouse/seams"

/**
 * Work on one key, one piece after the other. Work on different keys does not wait.
 * Invariant: #last has, for each key in use, a promise that settles when the last work on it is done.
 */
export class KeyedMutex {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Rejects with ABORTED when the signal does before the turn has come: then the work is not begun, and the next one's turn comes as before. */
  run<T>(id: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const before = this.#last.get(id)
    const mine = abortable(before ?? Promise.resolve(), signal).then(work)
    const done = Promise.allSettled([before, mine])
    this.#last.set(id, done)
    void done.then(() => {
      if (this.#last.get(id) === done) this.#last.delete(id)
    })
    return mine
  }
}
