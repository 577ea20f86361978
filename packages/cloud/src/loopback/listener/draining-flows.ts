import type { Clock } from "@pilothouse/seams"
import type { DatagramFlow } from "../dialer/pod-dialer.ts"

/** Milliseconds for which an endpoint that takes no more datagrams may still answer those that it has. */
const lastAnswers = 5000

/**
 * Flows whose endpoint takes no more datagrams: they bring answers for a while, and end.
 * Always true between calls: each has one timer; the one that leaves for longest stands first, and there are at most `most`.
 */
export class DrainingFlows {
  readonly #clock: Clock
  readonly #most: number
  readonly #timers = new Map<DatagramFlow, Disposable>()

  constructor(clock: Clock, most: number) {
    this.#clock = clock
    this.#most = most
  }

  add(flow: DatagramFlow): void {
    const [oldest] = this.#timers.keys()
    if (oldest !== undefined && this.#timers.size >= this.#most) this.#close(oldest)
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
