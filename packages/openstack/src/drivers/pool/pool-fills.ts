import { type Clock, type Log, messageOf, Semaphore } from "@pilothouse/seams"
import { isClearRefusal } from "../creation/create-refused.ts"
import type { PodVifDriver, PortRequest } from "../vif/pod-vif.ts"
import { maxBatch } from "./port-batches.ts"
import type { SparePorts } from "./spare-ports.ts"

export interface PoolFillsOptions {
  readonly driver: PodVifDriver
  readonly spare: SparePorts
  readonly clock: Clock
  readonly log: Log
  /** One for every create that the cloud has not answered. */
  readonly slots: Semaphore
  /** Called where it is unknown what a call has created. */
  lost(): void
}

/** Pools that are filled at once, however many there are: pods that wait for a port of their own come first. */
const fillsAtOnce = 2

/** Makes spare ports in the background, one call after the other for each pool. */
export class PoolFills {
  readonly #options: PoolFillsOptions
  readonly #turns = new Semaphore(fillsAtOnce)

  constructor(options: PoolFillsOptions) {
    this.#options = options
  }

  /** Nothing happens where there are enough, or where it is being filled or was just now. */
  start(key: string, request: PortRequest, signal: AbortSignal): void {
    const { spare, clock } = this.#options
    if (spare.startFill(key, clock.elapsed())) void this.#fill(key, request, signal)
  }

  /** In calls of a few: what the first has made can be given out while the next is under way. */
  async #fill(key: string, { pod: _, ...request }: PortRequest, signal: AbortSignal): Promise<void> {
    const { driver, spare, log, slots, lost } = this.#options
    try {
      using _turn = await this.#turns.acquire(signal)
      // Counted only now: others may have come back while it waited.
      for (let left = spare.missing(key); left > 0; left -= maxBatch) {
        using _slot = await slots.acquire(signal)
        const requests = Array.from({ length: Math.min(left, maxBatch) }, () => request)
        for (const port of await driver.create(requests, signal)) spare.add(key, port)
      }
    } catch (error) {
      if (!isClearRefusal(error)) lost()
      log.warn("a pool of ports could not be filled", { host: request.node, error: messageOf(error) })
    } finally {
      spare.fillEnded(key)
    }
  }
}
