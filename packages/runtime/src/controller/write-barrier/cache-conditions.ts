import { type Descriptor, type KubeObject, keyOf } from "@pilothouse/api"
import { abortable } from "@pilothouse/seams"
import type { Caches } from "../caches/caches.ts"

type Condition = (object: KubeObject | undefined) => boolean

interface Waiter {
  readonly of: Descriptor
  readonly key: string
  readonly condition: Condition
  readonly resolve: () => void
}

/**
 * Waits until conditions on single objects hold in the caches.
 * Invariant: the condition of every waiter did not hold when its object last changed.
 */
export class CacheConditions {
  readonly #caches: Caches
  readonly #waiters = new Set<Waiter>()

  constructor(caches: Caches) {
    this.#caches = caches
    caches.addHandlers((kind) => [(change) => this.#changed(kind, change.object)])
  }

  /** Resolves when the condition holds for the cached object of the key, or for undefined where there is none. */
  async until(of: Descriptor, key: string, condition: Condition, signal: AbortSignal): Promise<void> {
    if (condition(this.#caches.of(of)?.store.get(key))) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiter: Waiter = { of, key, condition, resolve: resolve }
    this.#waiters.add(waiter)
    using _ignoring = this.#caches.of(of)?.ignorePauses()
    try {
      await abortable(promise, signal)
    } finally {
      this.#waiters.delete(waiter)
    }
  }

  #changed(of: Descriptor, object: KubeObject): void {
    // Almost always empty: a controller waits for its own writes only, and briefly.
    if (this.#waiters.size === 0) return
    const key = keyOf(object)
    for (const waiter of this.#waiters) {
      if (waiter.of === of && waiter.key === key && waiter.condition(this.#caches.of(of)?.store.get(key))) waiter.resolve()
    }
  }
}
