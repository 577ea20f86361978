import type { EventSource } from "@pilothouse/runtime"
import type { Attempts } from "./attempts.ts"
import { byPodsThere } from "./queueing-hints.ts"

/** Wakes pods that found every node full when a place that was only kept is free again: no change of an object tells of it. */
export class FreedCapacity implements EventSource {
  readonly #attempts: Attempts
  readonly #wakes = new Set<(key: string, reason: string) => void>()

  constructor(attempts: Attempts) {
    this.#attempts = attempts
  }

  listen(wake: (key: string, reason: string) => void): Disposable {
    this.#wakes.add(wake)
    return { [Symbol.dispose]: () => void this.#wakes.delete(wake) }
  }

  notify(): void {
    for (const key of this.#attempts.refusedBy(byPodsThere))
      for (const wake of this.#wakes) wake(key, "a place that was kept for another pod is free")
  }
}
