/** The limit of listeners for one Service: a Service may name 65,535 ports, and each listener costs a descriptor and memory of this process. */
export const maxPerService = 256

/** The default limit of listeners for all Services together. */
export const maxInAll = 1024

/**
 * Counts the listeners of all Services against their limit.
 * Invariant between calls: no more are taken than the limit.
 */
export class ListenerBudget {
  readonly #max: number
  #taken = 0

  constructor(max = maxInAll) {
    this.#max = max
  }

  /** Takes one for a Service that has `held` already; returns the limit that prevents it, if any. */
  take(held: number): "Service" | "all" | undefined {
    if (held >= maxPerService) return "Service"
    if (this.#taken >= this.#max) return "all"
    this.#taken++
    return undefined
  }

  release(): void {
    this.#taken--
  }

  /** Describes the limit, for messages. */
  describe(limit: "Service" | "all"): string {
    return limit === "Service" ? `${maxPerService} listeners of one Service` : `${this.#max} listeners of all Services`
  }
}
