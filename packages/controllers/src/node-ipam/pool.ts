import { blockAndAround, blockCount, blockOf } from "./blocks.ts"
import { type Cidr, formatCidr, overlap } from "./cidr.ts"
import type { Range } from "./ranges.ts"

/** Whether a node stands under the block in the cache. */
export type IsTaken = (block: string) => boolean

/**
 * Blocks that are being given to nodes: from the choice until the cache shows it. What nodes have is in the cache, and nowhere else.
 *
 * Always true between calls: no block is held for two nodes, and a node holds one block of each range or none.
 */
export class Pool {
  readonly #ranges: readonly Range[]
  readonly #services: readonly Cidr[]
  /** By node. A node that is looked at again gets the same: the write whose answer was lost may have happened. */
  readonly #held = new Map<string, readonly string[]>()
  readonly #heldBlocks = new Set<string>()
  /** Where to go on looking, so that a block that was just given back is not the next one. */
  readonly #next: number[]

  constructor(ranges: readonly Range[], services: readonly Cidr[] = []) {
    this.#ranges = ranges
    this.#services = services
    this.#next = ranges.map(() => 0)
  }

  restart(): void {
    this.#held.clear()
    this.#heldBlocks.clear()
  }

  /** One block of each range, held for the node; undefined when one of the ranges has none left. */
  hold(node: string, isTaken: IsTaken): readonly string[] | undefined {
    const before = this.#held.get(node)
    if (before?.every((block) => !isTaken(block))) return before
    this.release(node)
    const found = this.#ranges.map((range, at) => this.#free(range, at, isTaken))
    if (!found.every((block) => block !== undefined)) return undefined
    this.#held.set(node, found)
    for (const block of found) this.#heldBlocks.add(block)
    return found
  }

  /** The node shows its blocks, or is gone. */
  release(node: string): void {
    for (const block of this.#held.get(node) ?? []) this.#heldBlocks.delete(block)
    this.#held.delete(node)
  }

  #free(range: Range, at: number, isTaken: IsTaken): string | undefined {
    const count = blockCount(range)
    const first = this.#next[at] ?? 0
    for (let step = 0; step < count; step++) {
      const number = (first + step) % count
      if (this.#isFree(range, number, isTaken)) {
        this.#next[at] = (number + 1) % count
        return formatCidr(blockOf(range, number))
      }
    }
    return undefined
  }

  #isFree(range: Range, number: number, isTaken: IsTaken): boolean {
    const block = blockOf(range, number)
    if (this.#services.some((service) => overlap(service, block)) || this.#heldBlocks.has(formatCidr(block))) return false
    return !blockAndAround(range, number).some(isTaken)
  }
}
