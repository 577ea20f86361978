import { type Descriptor, type KubeObject, keyOf } from "@pilothouse/api"
import { abortable } from "@pilothouse/seams"
import type { Caches } from "../caches.ts"

type Condition = (object: KubeObject | undefined) => boolean

interface Waiter {
  readonly of: Descriptor
  readonly key: string
  readonly condition: Condition
  readonly resolve: () => void
}

/**
 * Waits until caches show something of single objects.
 * Always true between calls: every waiter waits for something that its cache did not show when it was last told of the object.
 */
export class CacheConditions {
  readonly #caches: Caches
  readonly #waiters = new Set<Waiter>()

  constructor(caches: Caches) {
    this.#caches = caches
    caches.addHandlers((kind) => [(change) => this.#changed(kind, change.object)])
  }

  /** Ends when the condition holds of what the cache has under the key; undefined: it has nothing. */
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
    // Almost always empty: a loop waits for its own writes only, and not for long.
    if (this.#waiters.size === 0) return
    const key = keyOf(object)
    for (const waiter of this.#waiters) {
      if (waiter.of === of && waiter.key === key && waiter.condition(this.#caches.of(of)?.store.get(key))) waiter.resolve()
    }
  }
}
