import { leases } from "@pilothouse/api/coordination/v1"
import { nodes, pods } from "@pilothouse/api/core/v1"
import { type Controller, controller, exponentialLimiter, podsByNode, watch } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { decide, settle } from "./decide.ts"
import { Memory, rememberIn } from "./memory.ts"
import { nodeLifecycleMetrics } from "./metrics.ts"
import { evictedNodes, keyFor, leaseNamespace, nodesByReadiness, nodesByZone, observe, podKey } from "./observe.ts"
import { defaultOptions, type NodeLifecycleOptions } from "./options.ts"
import { changesTheZone, wasPlaced, zoneKeys } from "./wake.ts"

/** Milliseconds within which nodes that fail at once come to one look at the cluster. */
const together = 100

/**
 * Notices which nodes are not heard of any more, and what that means for their pods.
 * Watches nodes, their Leases and pods; writes conditions Unknown after the grace period, taints by conditions, two older labels, and Ready=False
 * on the pods of a lost node. What makes pods leave (NoExecute) comes to one node of a zone at a time, at a rate that depends on how much of
 * the zone is down, and not at all while no node is ready. Keys are the concern and what it is about ("node:a", "zone:eu/b"): a heartbeat
 * costs one look at one node.
 */
export function nodeLifecycleController({
  metrics,
  ...given
}: Partial<NodeLifecycleOptions> & { readonly metrics?: Metrics } = {}): Controller {
  const options = { ...defaultOptions, ...given }
  const memory = new Memory()
  return controller("node-lifecycle-controller", {
    for: nodes,
    predicate: () => false,
    watches: [
      watch(nodes, "the node changed", ({ metadata }) => [keyFor("node", metadata.name)]),
      watch(nodes, "the readiness of a node changed", () => [keyFor("cluster")], { predicate: changesTheZone, delay: together }),
      // Later: nodes that fail together have to be seen together, before the first of them is given up.
      watch(nodes, "the readiness of a node of the zone changed", zoneKeys, { predicate: changesTheZone, delay: options.monitorPeriod }),
      watch(leases, "the node renewed its Lease", ({ metadata }) => (isOfNode(metadata) ? [keyFor("node", metadata.name)] : []), {
        predicate: (change) => change.type !== "deleted",
        delay: options.monitorPeriod,
      }),
      watch(pods, "a pod was given to a node", (pod) => [podKey(pod)], { predicate: wasPlaced }),
    ],
    indexes: [podsByNode, nodesByZone, nodesByReadiness, evictedNodes],
    maxConcurrentReconciles: 8,
    backoff: () => exponentialLimiter({ longest: Math.max(1000, options.monitorPeriod) }),
    eventSource: "node-controller",
    executors: rememberIn(memory),
    onReconciled: metrics && nodeLifecycleMetrics(metrics),
    observe: (key, read) => observe(key, read, memory),
    decide: (observed, { now }) => decide(observed, now, options),
    settle: (observed, results, { now }) => settle(observed, results, now),
  })
}

function isOfNode({ namespace }: { readonly namespace?: string }): boolean {
  return namespace === leaseNamespace
}
