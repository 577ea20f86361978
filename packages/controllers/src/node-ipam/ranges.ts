import { type Cidr, formatCidr, parseCidr } from "@pilothouse/api/net"
import { type Metrics, PilothouseError } from "@pilothouse/seams"

/** A cluster CIDR from which nodes get their blocks. */
export interface Range {
  readonly cluster: Cidr
  /** The mask of a node's block. */
  readonly nodeSize: number
}

export interface NodeIpamOptions {
  /** --cluster-cidr: one block, or one of each family, with a comma. */
  readonly clusterCidr: string
  /** --node-cidr-mask-size, for a cluster of one family; 0: 24 for IPv4, 64 for IPv6. */
  readonly maskSize?: number
  /** --node-cidr-mask-size-ipv4 and -ipv6. */
  readonly maskSizeIpv4?: number
  readonly maskSizeIpv6?: number
  /** --service-cluster-ip-range: no node gets these, should they lie within. */
  readonly serviceRange?: string
  readonly metrics?: Metrics
}

/** The most bits between the cluster's and a node's mask in IPv6, which bounds the search. */
const maxIpv6Bits = 16

export function parseClusterRanges(options: NodeIpamOptions): readonly Range[] {
  const blocks = cidrsIn("cluster-cidr", options.clusterCidr)
  if (blocks.length === 0) throw refused("expected --cluster-cidr with --allocate-node-cidrs, found none")
  checkFamilies("cluster-cidr", blocks)
  return blocks.map((cluster) => checked({ cluster, nodeSize: nodeMaskSize(cluster, blocks, options) }))
}

export function parseServiceRanges({ serviceRange = "" }: NodeIpamOptions): readonly Cidr[] {
  const blocks = cidrsIn("service-cluster-ip-range", serviceRange)
  checkFamilies("service-cluster-ip-range", blocks)
  return blocks
}

function nodeMaskSize(
  { family }: Cidr,
  blocks: readonly Cidr[],
  { maskSize = 0, maskSizeIpv4 = 0, maskSizeIpv6 = 0 }: NodeIpamOptions,
): number {
  if (maskSize > 0 && blocks.length > 1)
    throw refused("expected --node-cidr-mask-size-ipv4 and -ipv6 with two families, found --node-cidr-mask-size")
  if (maskSize > 0 && maskSizeIpv4 + maskSizeIpv6 > 0) {
    throw refused("expected either --node-cidr-mask-size or that of a family, found both")
  }
  for (const [of, size] of [[4, maskSizeIpv4] as const, [6, maskSizeIpv6] as const]) {
    if (size > 0 && !blocks.some((block) => block.family === of))
      throw refused(`expected an IPv${of} block in --cluster-cidr with --node-cidr-mask-size-ipv${of}`)
  }
  return maskSize || (family === 4 ? maskSizeIpv4 || 24 : maskSizeIpv6 || 64)
}

function checked(range: Range): Range {
  const { cluster, nodeSize } = range
  const max = cluster.family === 4 ? 32 : Math.min(128, cluster.prefixLength + maxIpv6Bits)
  if (nodeSize >= cluster.prefixLength && nodeSize <= max) return range
  throw refused(`expected a node mask from ${cluster.prefixLength} to ${max} for --cluster-cidr ${formatCidr(cluster)}, found ${nodeSize}`)
}

function cidrsIn(flag: string, text: string): readonly Cidr[] {
  return text
    .split(",")
    .filter((part) => part.trim() !== "")
    .map((part) => {
      const block = parseCidr(part.trim())
      if (block === undefined) throw refused(`expected blocks such as 10.244.0.0/16 in --${flag}, found "${part}"`)
      return block
    })
}

function checkFamilies(flag: string, blocks: readonly Cidr[]): void {
  if (new Set(blocks.map(({ family }) => family)).size < blocks.length)
    throw refused(`expected at most one block of each family in --${flag}`)
}

function refused(message: string): PilothouseError {
  return new PilothouseError("INVALID", message)
}
