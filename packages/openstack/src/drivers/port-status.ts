import type { Clock } from "@pilothouse/seams"
import type { Neutron } from "../clients/neutron/neutron.ts"
import type { Port } from "../clients/neutron/types.ts"

/** Questions that come within so many milliseconds share a call. */
const gatherFor = 20
/** More ids would make too long an address. */
const mostIds = 50

/**
 * Asks for the state of ports, many in one call.
 * Always true between calls: a timer runs exactly while somebody waits to be asked for.
 */
export class PortStatus {
  readonly #neutron: Pick<Neutron, "ports">
  readonly #clock: Clock
  #waiting = new Map<string, PromiseWithResolvers<Port | undefined>>()

  constructor(neutron: Pick<Neutron, "ports">, clock: Clock) {
    this.#neutron = neutron
    this.#clock = clock
  }

  /** Undefined: there is no such port. */
  of(id: string): Promise<Port | undefined> {
    const known = this.#waiting.get(id)
    if (known !== undefined) return known.promise
    const asked = Promise.withResolvers<Port | undefined>()
    if (this.#waiting.size === 0) this.#clock.timer(gatherFor, "states of ports", () => void this.#ask())
    this.#waiting.set(id, asked)
    return asked.promise
  }

  async #ask(): Promise<void> {
    const all = [...this.#waiting]
    this.#waiting = new Map()
    for (let at = 0; at < all.length; at += mostIds) await this.#askFor(all.slice(at, at + mostIds))
  }

  async #askFor(some: readonly (readonly [string, PromiseWithResolvers<Port | undefined>])[]): Promise<void> {
    try {
      const found = await this.#neutron.ports.list({ id: some.map(([id]) => id) })
      for (const [id, asked] of some) asked.resolve(found.find((port) => port.id === id))
    } catch (error) {
      for (const [, asked] of some) asked.reject(error)
    }
  }
}
