import { aborted, onAbort } from "@pilothouse/seams"
import { hasReached } from "../watch/resource-version.ts"

interface Waiter {
  readonly resourceVersion: string
  readonly release: () => void
}

/**
 * Callers that wait for a cache to reach a resourceVersion.
 *
 * Invariant: waiters are sorted by rising resourceVersion, and none waits for one that was reached.
 */
export class VersionWaiters {
  readonly #waiters: Waiter[] = []

  get size(): number {
    return this.#waiters.length
  }

  /** Resolves when reached() is called with this version or a later one; rejects with ABORTED when the signal aborts. */
  wait(resourceVersion: string, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(aborted(signal))
      const waiter: Waiter = {
        resourceVersion,
        release: () => {
          listening[Symbol.dispose]()
          resolve()
        },
      }
      const listening = onAbort(signal, () => {
        this.#waiters.splice(this.#waiters.indexOf(waiter), 1)
        reject(aborted(signal))
      })
      const after = this.#waiters.findIndex((other) => !hasReached(resourceVersion, other.resourceVersion))
      this.#waiters.splice(after < 0 ? this.#waiters.length : after, 0, waiter)
    })
  }

  reached(resourceVersion: string): void {
    while (this.#waiters.length > 0 && hasReached(resourceVersion, this.#waiters[0]!.resourceVersion)) this.#waiters.shift()!.release()
  }

  /** Releases all: a restored server started another history, or the informer ended. */
  releaseAll(): void {
    for (const waiter of this.#waiters.splice(0)) waiter.release()
  }
}
