import type { Controller } from "@pilothouse/runtime"

/** Which controllers have still to look at a key that they were woken for. Always true between calls: has each controller whose look is to come, or under way, with its key. */
export class PendingLooks {
  readonly #isAsked: (key: string) => boolean
  readonly #pending = new Set<string>()

  constructor(isAsked: (key: string) => boolean) {
    this.#isAsked = isAsked
  }

  get areOver(): boolean {
    return this.#pending.size === 0
  }

  /**
   * The same controller, watched: it is asked for the priority of a key whenever it is woken for it, and told when the look is over. What was asked for goes first,
   * and does not wait for more changes to come together: in a cluster of thousands of objects it would be looked at last.
   */
  of(controller: Controller): Controller {
    const { name, watches, priority, onReconciled: ended } = controller
    return {
      ...controller,
      watches: watches?.map((one) => ({ ...one, delay: 0 })),
      priority: (key, read) => {
        if (!this.#isAsked(key)) return priority?.(key, read)
        this.#pending.add(`${name} ${key}`)
        return Number.MAX_SAFE_INTEGER
      },
      onReconciled: (key, end) => {
        this.#pending.delete(`${name} ${key}`)
        ended?.(key, end)
      },
    }
  }
}
