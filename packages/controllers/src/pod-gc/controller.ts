import { isPodTerminal, keyOf } from "@pilothouse/api"
import { nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import {
  type Change,
  type Controller,
  controller,
  countFlag,
  exponentialLimiter,
  podsByNode,
  type Reader,
  watch,
} from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { descriptor } from "../shared/descriptor.ts"
import { decide, type PodGcOptions, settle } from "./decide.ts"
import { podGcMetrics } from "./metrics.ts"
import { isDeleted, isOutOfService, keyFor, observe, terminatedPods } from "./observe.ts"

/** The shortest period between counts of finished pods. */
const period = "20s"
/** How long an unknown node may take to register. */
const quarantine = "40s"

/**
 * Deletes pods that no kubelet deletes: finished ones above a threshold, those of nodes that are gone (after a quarantine, and only when the server
 * confirms it) or out of service, and those that were deleted before they were scheduled. All without grace; a pod that still counts as running is
 * marked as Failed first. A key is a concern and its subject ("orphaned:node-1"): no reconcile reads all pods.
 */
export function podGcController({
  terminatedPodThreshold = 12500,
  metrics,
}: Partial<PodGcOptions> & { readonly metrics?: Metrics } = {}): Controller {
  return controller("pod-garbage-collector-controller", {
    for: nodes,
    predicate: () => false,
    watches: [
      watch(pods, "a pod has finished", () => [keyFor("terminated")], { predicate: hasFinished, delay: period }),
      watch(pods, "a pod was scheduled to an unknown node", orphanedNodeKeys, { predicate: wasScheduled, delay: quarantine }),
      watch(nodes, "the node is gone", ({ metadata }) => [keyFor("orphaned", metadata.name)], {
        predicate: (change) => change.type === "deleted",
        delay: quarantine,
      }),
      watch(pods, "a pod stops on a node that is out of service", outOfServiceNodeKeys, { predicate: isStopping }),
      watch(nodes, "the node is out of service", ({ metadata }) => [keyFor("out-of-service", metadata.name)], {
        predicate: (change) => change.type !== "deleted" && isOutOfService(change.object),
      }),
      watch(pods, "a pod is deleted that has no node", unscheduledPodKeys, { predicate: isStopping }),
    ],
    indexes: [podsByNode, terminatedPods],
    backoff: () => exponentialLimiter({ max: 20_000 }),
    observe,
    decide: (observed, context) => decide(observed, context, { terminatedPodThreshold }),
    settle,
    onReconciled: metrics && podGcMetrics(metrics),
  })
}

/** Reports whether the pod finished with this change; pods that exist at the start may have finished before. */
function hasFinished(change: Change<Pod>): boolean {
  if (change.type === "updated") return isPodTerminal(change.object) && !isPodTerminal(change.old)
  return change.type === "added" && isPodTerminal(change.object)
}

/** Reports whether the change assigned the pod to a node. */
function wasScheduled(change: Change<Pod>): boolean {
  const node = change.object.spec?.nodeName
  return change.type === "updated" ? node !== change.old.spec?.nodeName : change.type === "added" && Boolean(node)
}

function isStopping(change: Change<Pod>): boolean {
  return change.type !== "deleted" && isDeleted(change.object)
}

/** Returns the key of an unknown node; it has the quarantine to register. */
function orphanedNodeKeys({ spec }: Pod, read: Reader): readonly string[] {
  const node = spec?.nodeName
  return node && read.get(nodes, node) === undefined ? [keyFor("orphaned", node)] : []
}

function outOfServiceNodeKeys({ spec }: Pod, read: Reader): readonly string[] {
  const node = spec?.nodeName ? read.get(nodes, spec.nodeName) : undefined
  return node !== undefined && isOutOfService(node) ? [keyFor("out-of-service", node.metadata.name)] : []
}

function unscheduledPodKeys(pod: Pod): readonly string[] {
  return isDeleted(pod) && !pod.spec?.nodeName ? [keyFor("unscheduled", keyOf(pod))] : []
}

export const podGcDescriptor = descriptor({
  name: "pod-garbage-collector-controller",
  aliases: ["podgc"],
  flags: {
    "terminated-pod-gc-threshold": countFlag(12_500, "finished pods that may stay before the oldest are deleted; 0 keeps them all", 0),
  },
  create: (set, { metrics }) => podGcController({ metrics, terminatedPodThreshold: set["terminated-pod-gc-threshold"] }),
})
