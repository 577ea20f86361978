import { type Node, nodes } from "@pilothouse/api/core/v1"
import { type Follower, follower, type Index, index, type Reader } from "@pilothouse/runtime"
import { podCidrsOf, takenBlocks } from "./blocks.ts"
import type { Pool } from "./pool.ts"
import type { Range } from "./ranges.ts"

export interface Observed {
  readonly node: Node
  /** Held for a node that has none; undefined when none is left, or none is needed. */
  readonly blocks?: readonly string[]
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
  // Held with the look itself: thirty nodes are looked at side by side, and would all choose the same block. A second look gets the same.
  return { node, blocks: pool.hold(key, (block) => read.byIndex(byBlock, block).length > 0) }
}

/** What is held for a node is given back when the cache shows that it needs nothing any more. A write that is under way names the version it saw. */
export function followNodes(pool: Pool): Follower {
  return follower(nodes, {
    restart: () => pool.restart(),
    changed: ({ type, object }) => {
      if (type === "deleted" || !needsBlocks(object)) pool.release(object.metadata.name ?? "")
    },
  })
}
