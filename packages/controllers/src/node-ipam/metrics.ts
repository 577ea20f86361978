import { keyOf } from "@pilothouse/api"
import { nodes } from "@pilothouse/api/core/v1"
import { formatCidr } from "@pilothouse/api/net"
import { type CacheObserver, cacheObserver } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { counterFamily, createMetrics, exponentialBuckets, gaugeFamily, histogramFamily } from "../shared/metric-families.ts"
import { allocatedBlocks, blockCount } from "./blocks.ts"
import type { Range } from "./ranges.ts"

const subsystem = "node_ipam_controller"
const labels = ["clusterCIDR"]

/** Two of these names are upstream's typing errors, kept for its dashboards. */
export const nodeIpamFamilies = {
  allocations: counterFamily(`${subsystem}_cidrset_cidrs_allocations_total`, labels, "Blocks that were given to nodes"),
  releases: counterFamily(`${subsystem}_cidrset_cidrs_releases_total`, labels, "Blocks that came back"),
  max: gaugeFamily(`${subsystem}_cirdset_max_cidrs`, labels, "Blocks that the range has"),
  usage: gaugeFamily(`${subsystem}_cidrset_usage_cidrs`, labels, "Share of the blocks that is taken, from 0 to 1"),
  tries: histogramFamily(
    `${subsystem}_cidrset_allocation_tries_per_request`,
    labels,
    "Blocks that were passed over before a free one was found",
    exponentialBuckets(1, 5, 5),
  ),
}

/** Counts allocations and releases per range. */
export interface BlockMetrics {
  /** A free block was found after `tries` that were not. */
  found(range: number, tries: number): void
  allocated(range: number): void
  released(range: number): void
}

/** Registers upstream's metrics of pod CIDRs and returns their reporter, by range. */
export function nodeIpamMetrics(metrics: Metrics, ranges: readonly Range[]): BlockMetrics {
  const { allocations, releases, max, usage, tries } = createMetrics(metrics, nodeIpamFamilies)
  const known = ranges.map((range) => ({ about: { clusterCIDR: formatCidr(range.cluster) }, max: blockCount(range), taken: 0 }))
  for (const one of known) max.set(one.max, one.about)
  const change = (range: number, amount: number) => {
    const one = known[range]!
    one.taken += amount
    usage.set(one.taken / one.max, one.about)
    return one.about
  }
  return {
    found: (range, count) => tries.observe(count, known[range]!.about),
    allocated: (range) => allocations.add(1, change(range, 1)),
    released: (range) => releases.add(1, change(range, -1)),
  }
}

/** Counts the blocks that nodes have in the cache, including those that other clients assigned. */
export function countBlocks(metrics: BlockMetrics, ranges: readonly Range[]): CacheObserver {
  /** The number of blocks of each range by node. */
  const known = new Map<string, readonly number[]>()
  const record = (key: string, now: readonly number[]) => {
    for (const [range, count] of now.entries()) {
      const before = known.get(key)?.[range] ?? 0
      for (let at = before; at < count; at++) metrics.allocated(range)
      for (let at = count; at < before; at++) metrics.released(range)
    }
    known.set(key, now)
  }
  const none = ranges.map(() => 0)
  return cacheObserver(nodes, {
    restart() {
      for (const key of known.keys()) record(key, none)
      known.clear()
    },
    changed({ type, object }) {
      const key = keyOf(object)
      record(key, type === "deleted" ? none : ranges.map((range) => allocatedBlocks(object, [range]).length))
      if (type === "deleted") known.delete(key)
    },
  })
}
