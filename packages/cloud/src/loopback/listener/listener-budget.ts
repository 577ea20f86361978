/** Listeners that one Service has at most: a Service may name 65,535 ports, and each listener takes a descriptor and memory of this process. */
export const maxPerService = 256

/** Listeners of all Services together. */
export const maxInAll = 1024

/**
 * Counts the listeners of all Services against their limit.
 * Always true between calls: no more are taken than there are.
 */
export class ListenerBudget {
  readonly #most: number
  #taken = 0

  constructor(most = maxInAll) {
    this.#most = most
  }

  /** Takes one for a Service that has `held` already; where none is left, says why. */
  take(held: number): "Service" | "all" | undefined {
    if (held >= maxPerService) return "Service"
    if (this.#taken >= this.#most) return "all"
    this.#taken++
    return undefined
  }

  release(): void {
    this.#taken--
  }

  /** For people: which limit the ports beyond it have met. */
  describe(limit: "Service" | "all"): string {
    return limit === "Service" ? `${maxPerService} listeners of one Service` : `${this.#most} listeners of all Services`
  }
}
