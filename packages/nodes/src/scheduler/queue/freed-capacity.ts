import type { EventSource } from "@pilothouse/runtime"
import type { Attempts } from "./attempts.ts"
import { byPodsThere } from "./queueing-hints.ts"

/** Enqueues pods that every node refused when reserved capacity is free again: no change of an object shows it. */
export class FreedCapacity implements EventSource {
  readonly #attempts: Attempts
  readonly #enqueues = new Set<(key: string, reason: string) => void>()

  constructor(attempts: Attempts) {
    this.#attempts = attempts
  }

  listen(enqueue: (key: string, reason: string) => void): Disposable {
    this.#enqueues.add(enqueue)
    return { [Symbol.dispose]: () => void this.#enqueues.delete(enqueue) }
  }

  notify(): void {
    for (const key of this.#attempts.refusedBy(byPodsThere))
      for (const enqueue of this.#enqueues) enqueue(key, "a place that was kept for another pod is free")
  }
}
