import { leases } from "@pilothouse/api/coordination/v1"
import { type Node, nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import {
  type Change,
  type Controller,
  controller,
  countFlag,
  durationFlag,
  exponentialLimiter,
  numberFlag,
  podsByNode,
  watch,
} from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { descriptor } from "../shared/descriptor.ts"
import { decide, settle } from "./decide.ts"
import { Memory, rememberIn } from "./memory.ts"
import { nodeLifecycleMetrics } from "./metrics.ts"
import { readyCondition } from "./node-conditions.ts"
import { keyFor, leaseNamespace, nodesByReadiness, nodesByZone, nodesWithEvictionTaint, observe, podKey } from "./observe.ts"
import { defaultOptions, type NodeLifecycleOptions } from "./options.ts"
import { hasEvictionTaint } from "./taints.ts"
import { isCounted, zoneName } from "./zones.ts"

/** Milliseconds within which nodes that fail together cause one reconcile of the cluster. */
const clusterBatchPeriod = 100

/**
 * Detects nodes whose heartbeats stop, and handles their pods.
 * Watches nodes, their Leases and pods; writes conditions Unknown after the grace period, taints by conditions, two older labels, and Ready=False
 * on the pods of a lost node. NoExecute taints are added to one node of a zone at a time, at a rate that depends on how much of
 * the zone is down, and not at all while no node is ready. A key is a concern and its subject ("node:a", "zone:eu/b"): a heartbeat
 * costs one reconcile of one node.
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
      watch(nodes, "the readiness of a node changed", () => [keyFor("cluster")], {
        predicate: changesZoneHealth,
        delay: clusterBatchPeriod,
      }),
      // Delayed: nodes that fail together have to be seen together before the first of them is tainted.
      watch(nodes, "the readiness of a node of the zone changed", zoneKeys, { predicate: changesZoneHealth, delay: options.monitorPeriod }),
      watch(leases, "the node renewed its Lease", ({ metadata }) => (isNodeLease(metadata) ? [keyFor("node", metadata.name)] : []), {
        predicate: (change) => change.type !== "deleted",
        delay: options.monitorPeriod,
      }),
      watch(pods, "a pod was given to a node", (pod) => [podKey(pod)], { predicate: wasScheduled }),
    ],
    indexes: [podsByNode, nodesByZone, nodesByReadiness, nodesWithEvictionTaint],
    maxConcurrentReconciles: 8,
    backoff: () => exponentialLimiter({ max: Math.max(1000, options.monitorPeriod) }),
    eventSource: "node-controller",
    executors: rememberIn(memory),
    onReconciled: metrics && nodeLifecycleMetrics(metrics),
    observe: (key, read) => observe(key, read, memory),
    decide: (observed, { now }) => decide(observed, now, options),
    settle: (observed, results, { now }) => settle(observed, results, now),
  })
}

function isNodeLease({ namespace }: { readonly namespace?: string }): boolean {
  return namespace === leaseNamespace
}

/** Reports whether the change affects the health of a zone or the cluster. Heartbeats do not. */
function changesZoneHealth(change: Change<Node>): boolean {
  return change.type === "updated" ? zoneFacts(change.old) !== zoneFacts(change.object) : change.type !== "resync"
}

function zoneKeys(node: Node): readonly string[] {
  return [keyFor("zone", zoneName(node))]
}

/** Reports whether the change assigned the pod to a node. */
function wasScheduled(change: Change<Pod>, initial: boolean): boolean {
  const node = change.object.spec?.nodeName
  if (initial || !node) return false
  return change.type === "added" || (change.type === "updated" && node !== change.old.spec?.nodeName)
}

function zoneFacts(node: Node): string {
  return `${zoneName(node)} ${readyCondition(node)?.status} ${isCounted(node)} ${hasEvictionTaint(node)}`
}

export const nodeLifecycleDescriptor = descriptor({
  name: "node-lifecycle-controller",
  aliases: ["nodelifecycle"],
  flags: {
    "node-monitor-period": durationFlag("5s", "how soon a heartbeat of a node is noticed"),
    "node-monitor-grace-period": durationFlag("50s", "silence after which a node counts as lost"),
    "node-startup-grace-period": durationFlag("60s", "the same for a node that has never said whether it is ready"),
    "node-eviction-rate": numberFlag(0.1, "nodes of a zone that begin to lose their pods, a second"),
    "secondary-node-eviction-rate": numberFlag(0.01, "the same in a large zone that is partly down"),
    "large-cluster-size-threshold": countFlag(50, "a zone with more nodes is large; a small one that is partly down loses no pods", 0),
    "unhealthy-zone-threshold": numberFlag(0.55, "share of nodes (at least 3) that are not ready from which a zone is partly down"),
  },
  create: (set, { metrics }) =>
    nodeLifecycleController({
      metrics,
      monitorPeriod: set["node-monitor-period"],
      gracePeriod: set["node-monitor-grace-period"],
      startupGracePeriod: set["node-startup-grace-period"],
      evictionRate: set["node-eviction-rate"],
      secondaryEvictionRate: set["secondary-node-eviction-rate"],
      largeClusterSize: set["large-cluster-size-threshold"],
      unhealthyZoneThreshold: set["unhealthy-zone-threshold"],
    }),
})
