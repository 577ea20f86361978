import { type Cidr, cidrsOverlap, formatCidr } from "@pilothouse/api/net"
import { type Executor, type RememberOperation, remembers } from "@pilothouse/runtime"
import { blockAndSupernets, blockCount, nodeBlock } from "./blocks.ts"
import type { Range } from "./ranges.ts"

/** Whether the cache has a node with the block. */
export type IsTaken = (block: string) => boolean

/** A free block of each range, and where the next search continues. */
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

/** Reserves the blocks for the node until the cache shows them. Without a choice the hold ends. */
export interface RememberHold extends RememberOperation {
  readonly do: "remember-hold"
  readonly node: string
  readonly choice?: Choice
}

/**
 * Blocks that are being assigned to nodes, from the choice until the cache shows them. Assigned blocks are only in the cache.
 *
 * Invariant: no block is held for two nodes, and a node holds one block of each range or none.
 */
export class Pool {
  readonly #ranges: readonly Range[]
  readonly #services: readonly Cidr[]
  /** By node. The next reconcile of the node gets the same blocks: a write without a response may have been applied. */
  readonly #held = new Map<string, readonly string[]>()
  readonly #heldBlocks = new Set<string>()
  /** Where the next search starts, so that a block that was just freed is not the next one. */
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

  /** Returns one free block of each range: those that the node holds already, or the next free ones. Undefined when a range is exhausted. */
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

  /** Ends the hold of a node: it has its blocks, it is gone, or a held block is taken and none is left in its place. */
  release(node: string): void {
    for (const block of this.#held.get(node) ?? []) this.#heldBlocks.delete(block)
    this.#held.delete(node)
  }

  #free(range: Range, first: number, isOwn: IsTaken, isTaken: IsTaken): Found | undefined {
    const count = blockCount(range)
    for (let step = 0; step < count; step++) {
      const number = (first + step) % count
      if (this.#isFree(range, number, isOwn, isTaken))
        return { block: formatCidr(nodeBlock(range, number)), next: (number + 1) % count, tries: step }
    }
    return undefined
  }

  #isFree(range: Range, number: number, isOwn: IsTaken, isTaken: IsTaken): boolean {
    const block = nodeBlock(range, number)
    const name = formatCidr(block)
    if (this.#services.some((service) => cidrsOverlap(service, block)) || (this.#heldBlocks.has(name) && !isOwn(name))) return false
    return !blockAndSupernets(range, number).some(isTaken)
  }
}

export function rememberHoldsIn(pool: Pool): Executor {
  return remembers<RememberHold>("remember-hold", ({ node, choice }) =>
    choice === undefined ? pool.release(node) : pool.hold(node, choice),
  )
}
