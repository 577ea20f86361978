import type { Node } from "@pilothouse/api/core/v1"
import { type Cidr, cidrsOverlap, formatCidr, parseCidr, subnetAt, supernet } from "@pilothouse/api/net"
import type { Range } from "./ranges.ts"

export function podCidrs({ spec }: Node): readonly string[] {
  return spec?.podCIDRs ?? (spec?.podCIDR ? [spec.podCIDR] : [])
}

/**
 * Returns the blocks under which a node's addresses are indexed: its own, cut to the range; a smaller block counts as the whole node block.
 * A block is free when neither it nor any supernet of it within the range is indexed.
 */
export function allocatedBlocks(node: Node, ranges: readonly Range[]): readonly string[] {
  return podCidrs(node).flatMap((text) => {
    const block = parseCidr(text)
    return block === undefined
      ? []
      : ranges.filter(({ cluster }) => cidrsOverlap(cluster, block)).map((range) => formatCidr(cutTo(range, block)))
  })
}

function cutTo({ cluster, nodeSize }: Range, block: Cidr): Cidr {
  return block.prefixLength <= cluster.prefixLength ? cluster : supernet(block, Math.min(block.prefixLength, nodeSize))
}

/** Returns the node block of that number and its supernets within the range. */
export function blockAndSupernets({ cluster, nodeSize }: Range, number: number): readonly string[] {
  const block = subnetAt(cluster, nodeSize, number)
  return Array.from({ length: nodeSize - cluster.prefixLength + 1 }, (_, wider) => formatCidr(supernet(block, nodeSize - wider)))
}

export function nodeBlock({ cluster, nodeSize }: Range, number: number): Cidr {
  return subnetAt(cluster, nodeSize, number)
}

/** Returns how many node blocks the range has. */
export function blockCount({ cluster, nodeSize }: Range): number {
  return 2 ** (nodeSize - cluster.prefixLength)
}

/** Returns a CIDR of the node outside the cluster's ranges: another client assigned it, or the ranges have changed. */
export function foreignCidr(node: Node, ranges: readonly Range[]): string | undefined {
  return podCidrs(node).find((text) => {
    const block = parseCidr(text)
    return block === undefined || !ranges.some(({ cluster }) => cidrsOverlap(cluster, block))
  })
}
