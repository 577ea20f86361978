import { amountMilliValue, amountValue, type Resources } from "@pilothouse/api"

/** Amounts by slot: cpu in thousandths, the others in whole units. A slot beyond the end holds 0. */
export type Amounts = readonly number[]

/** The slot of cpu. */
export const cpuSlot = 0
/** The slot of memory. */
export const memorySlot = 1

/**
 * Numbers for the names of resources, so that sums are arrays and not maps: they are compared for every pod with every node.
 * Invariant between calls: a name keeps the number it was first given.
 */
export class ResourceSlots {
  readonly #names = ["cpu", "memory", "ephemeral-storage"]
  readonly #slots = new Map(this.#names.map((name, slot) => [name, slot]))

  nameOf(slot: number): string {
    return this.#names[slot] ?? ""
  }

  /** The number of pods is not a resource that pods ask for. */
  amountsOf(resources: Resources): Amounts {
    const amounts = [0, 0, 0]
    for (const [name, amount] of resources) {
      if (name === "pods") continue
      const slot = this.#slotOf(name)
      while (amounts.length <= slot) amounts.push(0)
      amounts[slot] = name === "cpu" ? amountMilliValue(amount) : amountValue(amount)
    }
    return amounts
  }

  #slotOf(name: string): number {
    const known = this.#slots.get(name)
    if (known !== undefined) return known
    this.#slots.set(name, this.#names.length)
    return this.#names.push(name) - 1
  }
}
