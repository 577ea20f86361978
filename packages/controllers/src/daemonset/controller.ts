import { controllerOf, keyOf } from "@pilothouse/api"
import { controllerRevisions, daemonSets } from "@pilothouse/api/apps/v1"
import { pods } from "@pilothouse/api/core/v1"
import { type Controller, controller, podsByNode, remembers, watch } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { orphanRevisionWatch, revisionIndexes } from "../controller-revisions/observe-revisions.ts"
import { matchingSelectors } from "../shared/selector-index.ts"
import { countStaleSkips } from "../shared/stale-sync-skips.ts"
import { decide } from "./decide.ts"
import { FailedPods, type RememberFailure } from "./failed-pods.ts"
import { daemonSetFamilies } from "./metrics.ts"
import { nodeWatch } from "./node-changes.ts"
import { daemonSetsBySelector, observe, orphanPods, podsByController } from "./observe.ts"
import { settle } from "./settle.ts"

/**
 * Keeps one pod of a DaemonSet on every node that its template allows, and none elsewhere.
 * Watches DaemonSets, their pods and revisions, and labels and taints of nodes; the scheduler brings each pod to the node its affinity names.
 * A new template is rolled out by deleting old pods (maxUnavailable) or by making new ones beside them (maxSurge); every template is kept as a revision.
 * Failed pods are replaced, on one node ever more slowly (1 s to 15 min); at most 250 pods are made and 250 deleted at once.
 * Never acts on a cache that has not seen its own last write: no node gets a pod twice.
 */
export function daemonSetController({
  metrics,
  concurrentSyncs = 2,
}: {
  readonly concurrentSyncs?: number
  readonly metrics?: Metrics
} = {}): Controller {
  const failed = new FailedPods()
  const orphan = watch(pods, "a pod that nobody owns matches", (pod, read) =>
    controllerOf(pod) === undefined ? matchingSelectors(read, daemonSetsBySelector, pod).map(keyOf) : [],
  )
  return controller("daemonset-controller", {
    for: daemonSets,
    owns: [pods, controllerRevisions],
    watches: [orphan, orphanRevisionWatch(daemonSetsBySelector), nodeWatch],
    indexes: [podsByController, orphanPods, podsByNode, daemonSetsBySelector, ...revisionIndexes],
    maxConcurrentReconciles: concurrentSyncs,
    executors: [remembers<RememberFailure>("remember-failure", (operation) => failed.remember(operation))],
    onCacheLagging: metrics && countStaleSkips(metrics, daemonSetFamilies.skips),
    observe: (key, read) => observe(key, read, failed),
    decide,
    settle,
  })
}
