import { deepEqual } from "@pilothouse/api"
import { type Node, nodes } from "@pilothouse/api/core/v1"
import { type Change, type Controller, controller, countFlag, exponentialLimiter, switchFlag, textFlag, watch } from "@pilothouse/runtime"
import { PilothouseError } from "@pilothouse/seams"
import { descriptor } from "../shared/descriptor.ts"
import { podCidrs } from "./blocks.ts"
import { decide, settle } from "./decide.ts"
import { countBlocks, nodeIpamMetrics } from "./metrics.ts"
import { nodesByBlock, nodesWithoutBlock, observe, releaseShownBlocks } from "./observe.ts"
import { Pool, rememberHoldsIn } from "./pool.ts"
import { type NodeIpamOptions, parseClusterRanges, parseServiceRanges } from "./ranges.ts"

/** The longest backoff in milliseconds. */
const maxWait = 60_000

/**
 * Allocates a block of pod addresses of each family to nodes without one.
 * Watches nodes; writes spec.podCIDR and spec.podCIDRs once. Allocated blocks are read from the nodes themselves, so that
 * a restart forgets nothing and the deletion of a node frees its block, for which nodes without a block wait.
 */
export function nodeIpamController(options: NodeIpamOptions): Controller {
  const ranges = parseClusterRanges(options)
  const pool = new Pool(ranges, parseServiceRanges(options))
  const counted = options.metrics && nodeIpamMetrics(options.metrics, ranges)
  const byBlock = nodesByBlock(ranges)
  return controller("node-ipam-controller", {
    for: nodes,
    predicate: (change) => concernsAddresses(change as Change<Node>),
    watches: [
      watch(
        nodes,
        "a deleted node freed its block",
        (_node, read) => read.byIndex(nodesWithoutBlock, "yes").map(({ metadata }) => metadata.name ?? ""),
        {
          predicate: (change) => change.type === "deleted",
        },
      ),
    ],
    indexes: [byBlock, nodesWithoutBlock],
    cacheObservers: [releaseShownBlocks(pool), ...(counted === undefined ? [] : [countBlocks(counted, ranges)])],
    onReconciled: counted && ((_key, { observed }) => observed?.choice?.tries?.forEach((tries, range) => counted.found(range, tries))),
    executors: [rememberHoldsIn(pool)],
    maxConcurrentReconciles: 30,
    backoff: () => exponentialLimiter({ max: maxWait }),
    eventSource: "cidrAllocator",
    observe: (key, read) => observe(key, read, pool, byBlock),
    decide: (observed) => decide(observed, ranges),
    settle,
  })
}

/** Reports whether a change concerns pod addresses; heartbeats do not. */
function concernsAddresses(change: Change<Node>): boolean {
  if (change.type !== "updated") return change.type !== "resync"
  return !deepEqual(podCidrs(change.old), podCidrs(change.object)) || change.old.metadata.uid !== change.object.metadata.uid
}

export const nodeIpamDescriptor = descriptor({
  name: "node-ipam-controller",
  aliases: ["nodeipam"],
  flags: {
    "allocate-node-cidrs": switchFlag(false, "whether nodes without pod addresses are given a block of --cluster-cidr"),
    "cluster-cidr": textFlag("", "pod addresses of the cluster: one block, or one of each family with a comma"),
    "cidr-allocator-type": textFlag("RangeAllocator", "RangeAllocator is the only one that there is"),
    "node-cidr-mask-size": countFlag(0, "mask of a node's block in a cluster of one family; 0: 24 for IPv4, 64 for IPv6", 0),
    "node-cidr-mask-size-ipv4": countFlag(0, "mask of a node's IPv4 block; 0: 24", 0),
    "node-cidr-mask-size-ipv6": countFlag(0, "mask of a node's IPv6 block; 0: 64", 0),
    "service-cluster-ip-range": textFlag("", "addresses of Services, which no node gets should they lie within --cluster-cidr"),
  },
  create(set, { metrics }) {
    if (!set["allocate-node-cidrs"]) return []
    if (set["cidr-allocator-type"] !== "RangeAllocator") {
      throw new PilothouseError("INVALID", `--cidr-allocator-type: expected RangeAllocator, found "${set["cidr-allocator-type"]}"`)
    }
    return nodeIpamController({
      metrics,
      clusterCidr: set["cluster-cidr"],
      maskSize: set["node-cidr-mask-size"],
      maskSizeIpv4: set["node-cidr-mask-size-ipv4"],
      maskSizeIpv6: set["node-cidr-mask-size-ipv6"],
      serviceRange: set["service-cluster-ip-range"],
    })
  },
})
