import { type Node, nodes } from "@pilothouse/api/core/v1"
import { type CacheObserver, cacheObserver, type Index, index, type Reader } from "@pilothouse/runtime"
import { podCidrsOf, takenBlocks } from "./blocks.ts"
import type { Choice, Pool } from "./pool.ts"
import type { Range } from "./ranges.ts"

export interface Observed {
  readonly node: Node
  /** Free for a node that has none; undefined when none is left, or none is needed. */
  readonly choice?: Choice
  /** It holds blocks of which one is taken, and none is left in its place. */
  readonly holdsInVain?: boolean
}

/** Nodes by the blocks that they take. */
export function nodesByBlock(ranges: readonly Range[]): Index<Node> {
  return index(nodes, "pod-cidr", (node) => takenBlocks(node, ranges))
}

/** Nodes that have none, under the one value "yes". */
export const nodesWithout = index(nodes, "no-pod-cidr", (node) => (needsBlocks(node) ? ["yes"] : []))

export function needsBlocks(node: Node): boolean {
  return podCidrsOf(node).length === 0 && node.metadata.deletionTimestamp === undefined
}

export function observe(key: string, read: Reader, pool: Pool, byBlock: Index<Node>): Observed | undefined {
  const node = read.get(nodes, key)
  if (node === undefined || !needsBlocks(node)) return node && { node }
  // Thirty nodes are looked at side by side, and would all choose the same block: nothing may come between this and the step that holds it.
  const choice = pool.choose(key, (block) => read.byIndex(byBlock, block).length > 0)
  return { node, choice, holdsInVain: choice === undefined && pool.holds(key) }
}

/** What is held for a node is given back when the cache shows that it needs nothing any more. A write that is under way names the version it saw. */
export function followNodes(pool: Pool): CacheObserver {
  return cacheObserver(nodes, {
    restart: () => pool.restart(),
    changed: ({ type, object }) => {
      if (type === "deleted" || !needsBlocks(object)) pool.release(object.metadata.name ?? "")
    },
  })
}
