import { controllerOf, deepEqual, keyOf } from "@pilothouse/api"
import { type ControllerRevision, controllerRevisions, type DaemonSet, daemonSets } from "@pilothouse/api/apps/v1"
import { type Node, nodes, pods } from "@pilothouse/api/core/v1"
import {
  type Change,
  type Controller,
  controller,
  countFlag,
  podsByNode,
  type Reader,
  remembers,
  type Watch,
  watch,
} from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { orphanRevisionWatch, revisionIndexes } from "../controller-revisions/observe-revisions.ts"
import { descriptor } from "../shared/descriptor.ts"
import { matchingSelectors } from "../shared/selector-index.ts"
import { countStaleSkips } from "../shared/stale-sync-skips.ts"
import { decide } from "./decide.ts"
import { eligibilityFor } from "./eligibility.ts"
import { FailedPods, type RememberFailure } from "./failed-pods.ts"
import { daemonSetFamilies } from "./metrics.ts"
import { daemonSetsBySelector, observe, orphanPods, podsByController } from "./observe.ts"
import { settle } from "./settle.ts"

/** Ignores heartbeats: only labels and taints decide where daemons run. */
export const nodeWatch: Watch = watch(
  nodes,
  "a node was added, deleted or changed, and its pods differ from the desired ones",
  affectedDaemonSets,
  {
    // The nodes of the first list enqueue nothing: every DaemonSet is reconciled then.
    predicate: (change, initial) => !initial && changesPlacement(change),
  },
)

export function changesPlacement(change: Change<Node>): boolean {
  if (change.type !== "updated") return true
  const { old, object } = change
  return !deepEqual(old.metadata.labels, object.metadata.labels) || !deepEqual(old.spec?.taints, object.spec?.taints)
}

/** A change of a node is rare and may affect every DaemonSet: all are checked, and only those with something to do are enqueued. */
function affectedDaemonSets(node: Node, read: Reader): readonly string[] {
  const name = keyOf(node)
  const owners = new Set(read.byIndex(podsByNode, name).map((pod) => controllerOf(pod)?.uid))
  const current = read.get(nodes, name)
  return read
    .list(daemonSets)
    .filter((daemonSet) => isAffected(daemonSet, current, owners.has(daemonSet.metadata.uid)))
    .map(keyOf)
}

/** A deleted node affects all: there is one less to count. */
export function isAffected(daemonSet: DaemonSet, node: Node | undefined, scheduled: boolean): boolean {
  if (node === undefined) return true
  const { runs, stays } = eligibilityFor(daemonSet)(node)
  const misscheduled = (daemonSet.status?.numberMisscheduled ?? 0) > 0
  return (runs && !scheduled) || (!stays && scheduled) || (scheduled && misscheduled)
}

/** As upstream, an added revision enqueues nothing: a duplicate that a user creates stays until the DaemonSet has other work. */
const revisionWatch = watch(controllerRevisions, "a revision of it changed or was deleted", ownerOfRevision, {
  predicate: ({ type }) => type !== "added",
})

function ownerOfRevision(revision: ControllerRevision): readonly string[] {
  const owner = controllerOf(revision)
  return owner?.kind === daemonSets.kind ? [`${revision.metadata.namespace}/${owner.name}`] : []
}

export const daemonSetDescriptor = descriptor({
  name: "daemonset-controller",
  aliases: ["daemonset"],
  flags: {
    "concurrent-daemonset-syncs": countFlag(2, "DaemonSets worked on at once"),
  },
  create: (set, { metrics }) => daemonSetController({ metrics, concurrentSyncs: set["concurrent-daemonset-syncs"] }),
})

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
  const orphan = watch(pods, "an orphaned pod matches", (pod, read) =>
    controllerOf(pod) === undefined ? matchingSelectors(read, daemonSetsBySelector, pod).map(keyOf) : [],
  )
  return controller("daemonset-controller", {
    for: daemonSets,
    owns: [pods],
    watches: [orphan, revisionWatch, orphanRevisionWatch(daemonSetsBySelector), nodeWatch],
    indexes: [podsByController, orphanPods, podsByNode, daemonSetsBySelector, ...revisionIndexes],
    maxConcurrentReconciles: concurrentSyncs,
    executors: [remembers<RememberFailure>("remember-failure", (operation) => failed.remember(operation))],
    onCacheLagging: metrics && countStaleSkips(metrics, daemonSetFamilies.skips),
    observe: (key, read) => observe(key, read, failed),
    decide,
    settle,
  })
}
