import { isPodTerminal, keyOf } from "@pilothouse/api"
import { nodes, type Pod, pods } from "@pilothouse/api/core/v1"
import { type Change, type Controller, controller, exponentialLimiter, podsByNode, type Reader, watch } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { descriptor } from "../descriptor.ts"
import { countFlag } from "../flag.ts"
import { decide, type PodGcOptions, settle } from "./decide.ts"
import { podGcMetrics } from "./metrics.ts"
import { isDeleted, isOutOfService, keyFor, observe, terminatedPods } from "./observe.ts"

/** Finished pods are counted at most this often. */
const period = "20s"
/** How long a node that nobody knows may take to show up. */
const quarantine = "40s"

/**
 * Deletes pods that nobody else ends: finished ones above a threshold, those of nodes that are gone (after a quarantine, and only when the server
 * itself says so) or out of service, and those that were deleted before they got a node. All without grace; one that still counts as running is
 * marked as Failed first. Keys are the concern and what it is about ("orphaned:node-1"): nothing ever looks at all pods.
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
      watch(pods, "a pod was given to a node that nobody knows", orphanedWith, { predicate: hasBeenPlaced, delay: quarantine }),
      watch(nodes, "the node is gone", ({ metadata }) => [keyFor("orphaned", metadata.name)], {
        predicate: (change) => change.type === "deleted",
        delay: quarantine,
      }),
      watch(pods, "a pod stops on a node that is out of service", outOfServiceWith, { predicate: isStopping }),
      watch(nodes, "the node is out of service", ({ metadata }) => [keyFor("out-of-service", metadata.name)], {
        predicate: (change) => change.type !== "deleted" && isOutOfService(change.object),
      }),
      watch(pods, "a pod is deleted that has no node", unscheduled, { predicate: isStopping }),
    ],
    indexes: [podsByNode, terminatedPods],
    backoff: () => exponentialLimiter({ max: 20_000 }),
    observe,
    decide: (observed, context) => decide(observed, context, { terminatedPodThreshold }),
    settle,
    onReconciled: metrics && podGcMetrics(metrics),
  })
}

/** Whether the change made the pod one that has finished; what is there at the start may have been so before. */
function hasFinished(change: Change<Pod>): boolean {
  if (change.type === "updated") return isPodTerminal(change.object) && !isPodTerminal(change.old)
  return change.type === "added" && isPodTerminal(change.object)
}

/** Whether the change gave the pod a node. */
function hasBeenPlaced(change: Change<Pod>): boolean {
  const node = change.object.spec?.nodeName
  return change.type === "updated" ? node !== change.old.spec?.nodeName : change.type === "added" && Boolean(node)
}

function isStopping(change: Change<Pod>): boolean {
  return change.type !== "deleted" && isDeleted(change.object)
}

/** A pod on a node that nobody knows: the node has the quarantine to show up in. */
function orphanedWith({ spec }: Pod, read: Reader): readonly string[] {
  const node = spec?.nodeName
  return node && read.get(nodes, node) === undefined ? [keyFor("orphaned", node)] : []
}

function outOfServiceWith({ spec }: Pod, read: Reader): readonly string[] {
  const node = spec?.nodeName ? read.get(nodes, spec.nodeName) : undefined
  return node !== undefined && isOutOfService(node) ? [keyFor("out-of-service", node.metadata.name)] : []
}

function unscheduled(pod: Pod): readonly string[] {
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
