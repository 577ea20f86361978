import { type Cidr, cidrsOverlap, formatCidr } from "@pilothouse/api/net"
import { type Executor, type RememberOperation, remembers } from "@pilothouse/runtime"
import { blockAndAround, blockCount, blockOf } from "./blocks.ts"
import type { Range } from "./ranges.ts"

/** Whether a node stands under the block in the cache. */
export type IsTaken = (block: string) => boolean

/** A free block of each range, and where to go on looking after them. */
export interface Choice {
  readonly blocks: readonly string[]
  /** Undefined where the node holds them already. */
  readonly next?: readonly number[]
  /** Blocks of each range that were passed over. */
  readonly tries?: readonly number[]
}

interface Found {
  readonly block: string
  readonly next: number
  readonly tries: number
}

/** The blocks are nobody else's until the cache shows what the node has. Without a choice it holds nothing any more. */
export interface RememberHold extends RememberOperation {
  readonly do: "remember-hold"
  readonly node: string
  readonly choice?: Choice
}

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
  #next: readonly number[]

  constructor(ranges: readonly Range[], services: readonly Cidr[] = []) {
    this.#ranges = ranges
    this.#services = services
    this.#next = ranges.map(() => 0)
  }

  restart(): void {
    this.#held.clear()
    this.#heldBlocks.clear()
  }

  /** One block of each range that is nobody else's: those that the node holds already, or the next free ones. Undefined when a range has none left. */
  choose(node: string, isTaken: IsTaken): Choice | undefined {
    const before = this.#held.get(node)
    if (before?.every((block) => !isTaken(block))) return { blocks: before }
    const own = new Set(before)
    const found = this.#ranges.map((range, at) => this.#free(range, this.#next[at] ?? 0, (block) => own.has(block), isTaken))
    if (!found.every((one) => one !== undefined)) return undefined
    return { blocks: found.map(({ block }) => block), next: found.map(({ next }) => next), tries: found.map(({ tries }) => tries) }
  }

  holds(node: string): boolean {
    return this.#held.has(node)
  }

  hold(node: string, { blocks, next = this.#next }: Choice): void {
    this.release(node)
    this.#held.set(node, blocks)
    for (const block of blocks) this.#heldBlocks.add(block)
    this.#next = next
  }

  /** The node shows its blocks, or is gone; or one of those that it holds is another node's, and there is none left in its place. */
  release(node: string): void {
    for (const block of this.#held.get(node) ?? []) this.#heldBlocks.delete(block)
    this.#held.delete(node)
  }

  #free(range: Range, first: number, isOwn: IsTaken, isTaken: IsTaken): Found | undefined {
    const count = blockCount(range)
    for (let step = 0; step < count; step++) {
      const number = (first + step) % count
      if (this.#isFree(range, number, isOwn, isTaken))
        return { block: formatCidr(blockOf(range, number)), next: (number + 1) % count, tries: step }
    }
    return undefined
  }

  #isFree(range: Range, number: number, isOwn: IsTaken, isTaken: IsTaken): boolean {
    const block = blockOf(range, number)
    const name = formatCidr(block)
    if (this.#services.some((service) => cidrsOverlap(service, block)) || (this.#heldBlocks.has(name) && !isOwn(name))) return false
    return !blockAndAround(range, number).some(isTaken)
  }
}

export function rememberHoldsIn(pool: Pool): Executor {
  return remembers<RememberHold>("remember-hold", ({ node, choice }) =>
    choice === undefined ? pool.release(node) : pool.hold(node, choice),
  )
}
