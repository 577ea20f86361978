import { nodes, pods } from "@pilothouse/api/core/v1"
import { type Controller, controller, exponentialLimiter, podsByNode, watch } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { decide, type PodGcOptions } from "./decide.ts"
import { podGcMetrics } from "./metrics.ts"
import { keyFor, observe, terminatedPods } from "./observe.ts"
import { settle } from "./settle.ts"
import { hasBeenPlaced, hasFinished, isOutOfService, isStopping, orphanedWith, outOfServiceWith, unscheduled } from "./wake.ts"

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
    backoff: () => exponentialLimiter({ longest: 20_000 }),
    observe,
    decide: (observed, context) => decide(observed, context, { terminatedPodThreshold }),
    settle,
    onReconciled: metrics && podGcMetrics(metrics),
  })
}
