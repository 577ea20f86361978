import type { Node } from "@pilothouse/api/core/v1"
import { type Cidr, cidrsOverlap, formatCidr, parseCidr, subnetAt, supernet } from "@pilothouse/api/net"
import type { Range } from "./ranges.ts"

export function podCidrsOf({ spec }: Node): readonly string[] {
  return spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : [])
}

/**
 * Under which blocks a node's addresses are found: its own, cut to the range; one smaller than a node's block stands for the whole of it.
 * Whoever wants to know whether a block is free asks for it and for all larger ones around it.
 */
export function takenBlocks(node: Node, ranges: readonly Range[]): readonly string[] {
  return podCidrsOf(node).flatMap((text) => {
    const block = parseCidr(text)
    return block === undefined
      ? []
      : ranges.filter(({ cluster }) => cidrsOverlap(cluster, block)).map((range) => formatCidr(cutTo(range, block)))
  })
}

function cutTo({ cluster, nodeSize }: Range, block: Cidr): Cidr {
  return block.prefixLength <= cluster.prefixLength ? cluster : supernet(block, Math.min(block.prefixLength, nodeSize))
}

/** The node's block of that number, and those around it within the range. */
export function blockAndAround({ cluster, nodeSize }: Range, number: number): readonly string[] {
  const block = subnetAt(cluster, nodeSize, number)
  return Array.from({ length: nodeSize - cluster.prefixLength + 1 }, (_, wider) => formatCidr(supernet(block, nodeSize - wider)))
}

export function blockOf({ cluster, nodeSize }: Range, number: number): Cidr {
  return subnetAt(cluster, nodeSize, number)
}

/** How many nodes the range is good for. */
export function blockCount({ cluster, nodeSize }: Range): number {
  return 2 ** (nodeSize - cluster.prefixLength)
}

/** What a node has that does not lie in the cluster's ranges: somebody else gave it, or the ranges were others before. */
export function strayCidr(node: Node, ranges: readonly Range[]): string | undefined {
  return podCidrsOf(node).find((text) => {
    const block = parseCidr(text)
    return block === undefined || !ranges.some(({ cluster }) => cidrsOverlap(cluster, block))
  })
}
