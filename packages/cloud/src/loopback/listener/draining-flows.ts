import type { Clock } from "@pilothouse/seams"
import type { DatagramFlow } from "../dialer/pod-dialer.ts"

/** Milliseconds for which an endpoint that gets no more datagrams may still answer those that it has. */
const lastAnswers = 5000

/**
 * Flows whose endpoint gets no more datagrams: they forward answers for a while, and close.
 * Invariant between calls: each has one timer; the oldest stands first, and there are at most `max`.
 */
export class DrainingFlows {
  readonly #clock: Clock
  readonly #max: number
  readonly #timers = new Map<DatagramFlow, Disposable>()

  constructor(clock: Clock, max: number) {
    this.#clock = clock
    this.#max = max
  }

  /** Closes the oldest flow where there are too many. */
  add(flow: DatagramFlow): void {
    const [oldest] = this.#timers.keys()
    if (oldest !== undefined && this.#timers.size >= this.#max) this.#close(oldest)
    this.#timers.set(
      flow,
      this.#clock.timer(lastAnswers, "last answers of a UDP flow", () => this.#close(flow)),
    )
  }

  cut(): void {
    for (const flow of this.#timers.keys()) this.#close(flow)
  }

  #close(flow: DatagramFlow): void {
    this.#timers.get(flow)?.[Symbol.dispose]()
    this.#timers.delete(flow)
    flow.close()
  }
}
