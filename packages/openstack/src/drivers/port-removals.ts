import type { PodPort } from "./pod-vif.ts"

type Remove = (ports: readonly PodPort[], signal: AbortSignal) => Promise<void>

interface Leaving {
  readonly port: PodPort
  readonly gone: PromiseWithResolvers<void>
}

/** So many at once: the last of a round waits for all of it. */
export const largestRound = 10

/**
 * Removes ports that leave while others are being removed in one round: what is one call for a trunk is not made for each of its ports.
 * Always true between calls: nobody waits while no round is under way.
 */
export class PortRemovals {
  readonly #remove: Remove
  readonly #waiting: Leaving[] = []
  #isUnderWay = false

  constructor(remove: Remove) {
    this.#remove = remove
  }

  remove(port: PodPort, signal: AbortSignal): Promise<void> {
    const gone = Promise.withResolvers<void>()
    this.#waiting.push({ port, gone })
    if (!this.#isUnderWay) void this.#work(signal)
    return gone.promise
  }

  async #work(signal: AbortSignal): Promise<void> {
    this.#isUnderWay = true
    for (let round = this.#waiting.splice(0, largestRound); round.length > 0; round = this.#waiting.splice(0, largestRound))
      await this.#removeAll(round, signal)
    this.#isUnderWay = false
  }

  async #removeAll(round: readonly Leaving[], signal: AbortSignal): Promise<void> {
    try {
      await this.#remove(
        round.map(({ port }) => port),
        signal,
      )
      for (const { gone } of round) gone.resolve()
    } catch (error) {
      // One that cannot go must not keep the others; what was removed already does not mind.
      if (round.length > 1) for (const one of round) await this.#removeAll([one], signal)
      else for (const { gone } of round) gone.reject(error)
    }
  }
}
