import type { PodPort } from "../vif/pod-vif.ts"

type Remove = (ports: readonly PodPort[], signal: AbortSignal) => Promise<void>

interface Leaving {
  readonly port: PodPort
  readonly gone: PromiseWithResolvers<void>
}

/** So many at once: the last of a round waits for all of it. */
const maxRound = 10

/** So many hosts at once: Neutron's work is its own processor time. */
const hostsAtOnce = 4

/**
 * Removes ports of one host in rounds: a call that serves a whole trunk is not repeated for each of its ports,
 * and a slow trunk does not delay the ports of other trunks.
 * Invariant: a host has at most one round in progress, and a host without one does not wait while fewer hosts than allowed have one.
 */
export class PortRemovals {
  readonly #remove: Remove
  readonly #waiting = new Map<string, Leaving[]>()
  readonly #underWay = new Set<string>()

  constructor(remove: Remove) {
    this.#remove = remove
  }

  remove(port: PodPort, signal: AbortSignal): Promise<void> {
    const { host = "" } = port
    const gone = Promise.withResolvers<void>()
    const others = this.#waiting.get(host)
    if (others === undefined) this.#waiting.set(host, [{ port, gone }])
    else others.push({ port, gone })
    void this.#work(signal)
    return gone.promise
  }

  async #work(signal: AbortSignal): Promise<void> {
    for (let host = this.#next(); host !== undefined; host = this.#next()) {
      this.#underWay.add(host)
      await this.#removeAll(this.#take(host), signal)
      this.#underWay.delete(host)
    }
  }

  /** The host that has waited longest and has no round under way. */
  #next(): string | undefined {
    if (this.#underWay.size >= hostsAtOnce) return undefined
    return [...this.#waiting.keys()].find((host) => !this.#underWay.has(host))
  }

  #take(host: string): readonly Leaving[] {
    const all = this.#waiting.get(host) ?? []
    this.#waiting.delete(host)
    const round = all.splice(0, maxRound)
    // Behind the others: they have waited longer.
    if (all.length > 0) this.#waiting.set(host, all)
    return round
  }

  async #removeAll(round: readonly Leaving[], signal: AbortSignal): Promise<void> {
    try {
      await this.#remove(
        round.map(({ port }) => port),
        signal,
      )
      for (const { gone } of round) gone.resolve()
    } catch (error) {
      // One that cannot be deleted does not fail the others; deleting a port again succeeds.
      if (round.length > 1) for (const one of round) await this.#removeAll([one], signal)
      else for (const { gone } of round) gone.reject(error)
    }
  }
}
