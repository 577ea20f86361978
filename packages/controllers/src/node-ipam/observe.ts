import { type Node, nodes } from "@pilothouse/api/core/v1"
import { type CacheObserver, cacheObserver, type Index, index, type Reader } from "@pilothouse/runtime"
import { allocatedBlocks, podCidrs } from "./blocks.ts"
import type { Choice, Pool } from "./pool.ts"
import type { Range } from "./ranges.ts"

export interface Observed {
  readonly node: Node
  /** Free blocks for a node without any; undefined when none is left or none is needed. */
  readonly choice?: Choice
  /** It holds blocks of which one is taken by another node, and no free one is left. */
  readonly hasStaleHold?: boolean
}

/** Nodes by their blocks. */
export function nodesByBlock(ranges: readonly Range[]): Index<Node> {
  return index(nodes, "pod-cidr", (node) => allocatedBlocks(node, ranges))
}

/** Nodes without a block, under the only value "yes". */
export const nodesWithoutBlock = index(nodes, "no-pod-cidr", (node) => (needsBlocks(node) ? ["yes"] : []))

export function needsBlocks(node: Node): boolean {
  return podCidrs(node).length === 0 && node.metadata.deletionTimestamp === undefined
}

export function observe(key: string, read: Reader, pool: Pool, byBlock: Index<Node>): Observed | undefined {
  const node = read.get(nodes, key)
  if (node === undefined || !needsBlocks(node)) return node && { node }
  // Concurrent reconciles would choose the same block: nothing asynchronous may come between this and the step that holds it.
  const choice = pool.choose(key, (block) => read.byIndex(byBlock, block).length > 0)
  return { node, choice, hasStaleHold: choice === undefined && pool.holds(key) }
}

/** Releases the hold of a node when the cache shows that it needs no block any more. A write in flight names the version that it saw. */
export function releaseShownBlocks(pool: Pool): CacheObserver {
  return cacheObserver(nodes, {
    restart: () => pool.restart(),
    changed: ({ type, object }) => {
      if (type === "deleted" || !needsBlocks(object)) pool.release(object.metadata.name ?? "")
    },
  })
}
