import { deepEqual } from "@pilothouse/api"
import { type Node, nodes } from "@pilothouse/api/core/v1"
import { type Change, type Controller, controller, exponentialLimiter, watch } from "@pilothouse/runtime"
import { podCidrsOf } from "./blocks.ts"
import { countBlocks } from "./count-blocks.ts"
import { decide, settle } from "./decide.ts"
import { nodeIpamMetrics } from "./metrics.ts"
import { followNodes, nodesByBlock, nodesWithout, observe } from "./observe.ts"
import { Pool, rememberHoldsIn } from "./pool.ts"
import { type NodeIpamOptions, rangesOf, serviceRangesOf } from "./ranges.ts"

/** Milliseconds between tries at most. */
const maxWait = 60_000

/**
 * Gives each node that has none its block of pod addresses, of each family one.
 * Watches nodes; writes spec.podCIDR and spec.podCIDRs once and never again. Which blocks are taken is read from the nodes themselves, so that
 * a restart forgets nothing and a node that is deleted gives its block back. Nodes that found none left wait for that.
 */
export function nodeIpamController(options: NodeIpamOptions): Controller {
  const ranges = rangesOf(options)
  const pool = new Pool(ranges, serviceRangesOf(options))
  const counted = options.metrics && nodeIpamMetrics(options.metrics, ranges)
  const byBlock = nodesByBlock(ranges)
  return controller("node-ipam-controller", {
    for: nodes,
    predicate: (change) => concernsAddresses(change as Change<Node>),
    watches: [
      watch(
        nodes,
        "a node gave its block back",
        (_node, read) => read.byIndex(nodesWithout, "yes").map(({ metadata }) => metadata.name ?? ""),
        {
          predicate: (change) => change.type === "deleted",
        },
      ),
    ],
    indexes: [byBlock, nodesWithout],
    cacheObservers: [followNodes(pool), ...(counted === undefined ? [] : [countBlocks(counted, ranges)])],
    onReconciled: counted && ((_key, { observed }) => observed?.choice?.tries?.forEach((tries, range) => counted.found(range, tries))),
    executors: [rememberHoldsIn(pool)],
    maxConcurrentReconciles: 30,
    backoff: () => exponentialLimiter({ longest: maxWait }),
    eventSource: "cidrAllocator",
    observe: (key, read) => observe(key, read, pool, byBlock),
    decide: (observed) => decide(observed, ranges),
    settle,
  })
}

/** Heartbeats of nodes say nothing about their addresses. */
function concernsAddresses(change: Change<Node>): boolean {
  if (change.type !== "updated") return change.type !== "resync"
  return !deepEqual(podCidrsOf(change.old), podCidrsOf(change.object)) || change.old.metadata.uid !== change.object.metadata.uid
}
