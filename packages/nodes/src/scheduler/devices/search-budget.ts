import type { Device } from "@pilothouse/api/resource/v1"
import type { PoolDevice } from "./pools.ts"

/** Devices that are tried beyond a first round on each node, on all nodes together. */
const maxTries = 10_000

/** Units of cost of the expressions of selectors, on all nodes together. */
const maxCost = 1_000_000

/** Evaluates an expression for a device, and says what it cost. */
type Selects = (expression: string, device: PoolDevice, spend: (cost: number) => void) => boolean

/**
 * What the search of devices for one pod may take on all nodes together: a decision is one turn of the event loop, and a search that goes back and
 * forth could take for ever. Upstream ends it after 10 s.
 */
export class SearchBudget {
  readonly #selects: Selects
  #tries = 0
  #cost = 0
  /** What expressions said of a device. It is the same device on every node that reaches it. */
  readonly #known = new Map<Device, Map<string, boolean>>()

  constructor(selects: Selects) {
    this.#selects = selects
  }

  /** Counts what is tried beyond the first round. Whether that is still within the budget. */
  mayTry(units: number): boolean {
    this.#tries += units
    return this.#tries <= maxTries
  }

  /** Whether the expression selects the device; throws where that cannot be said, and once all of them cost too much. */
  selects(expression: string, device: PoolDevice): boolean {
    const known = this.#known.get(device.device) ?? new Map<string, boolean>()
    this.#known.set(device.device, known)
    const found = known.get(expression)
    if (found !== undefined) return found
    if (this.#cost > maxCost) throw new Error(`expected selectors that cost at most ${maxCost} for all devices, found more`)
    const selected = this.#selects(expression, device, (cost) => {
      this.#cost += cost
    })
    known.set(expression, selected)
    return selected
  }
}
