import type { Gauge, Metrics } from "@pilothouse/seams"

/** Which controllers run in this process. Always true between calls: the metric says 1 of those that run and 0 of those that did. */
export class RunningControllers {
  readonly #names = new Set<string>()
  readonly #gauge: Gauge

  constructor(metrics: Metrics) {
    this.#gauge = metrics.gauge({ name: "running_managed_controllers", help: "1 for each controller that runs in this process" })
  }

  has(name: string): boolean {
    return this.#names.has(name)
  }

  started(name: string): void {
    this.#names.add(name)
    this.#gauge.set(1, { name })
  }

  ended(name: string): void {
    this.#names.delete(name)
    this.#gauge.set(0, { name })
  }
}
