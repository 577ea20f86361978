import { controllerOf, keyOf } from "@pilothouse/api"
import { controllerRevisions, statefulSets } from "@pilothouse/api/apps/v1"
import { type PersistentVolumeClaim, persistentVolumeClaims, pods } from "@pilothouse/api/core/v1"
import { type Controller, controller, countFlag, type Reader, watch } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { orphanRevisionWatch, revisionIndexes } from "../controller-revisions/observe-revisions.ts"
import { descriptor } from "../shared/descriptor.ts"
import { matchingSelectors } from "../shared/selector-index.ts"
import { countStaleSkips } from "../shared/stale-sync-skips.ts"
import { decide } from "./decide.ts"
import { statefulSetFamilies, statefulSetMetrics } from "./metrics.ts"
import { observe, orphanPods, podsByController, setsByClaim, statefulSetsBySelector } from "./observe.ts"
import { settle } from "./settle.ts"

/**
 * Maintains pods with stable names and their own claims: web-0, web-1, web-2.
 * Watches StatefulSets, pods, revisions and deleted claims; creates pods in order, each when those before it are available, and deletes them from the end;
 * `Parallel` does both at once. A name is reused only when its pod is gone: never two pods of one ordinal.
 * A new template is rolled out from the highest ordinal down to the partition; every template is stored as a revision.
 * Claims are created once and never deleted here: the retention policy sets their owners, and the garbage collector deletes them.
 */
export function statefulSetController({
  metrics,
  concurrentSyncs = 5,
}: {
  readonly concurrentSyncs?: number
  readonly metrics?: Metrics
} = {}): Controller {
  const orphan = watch(pods, "an orphan pod matches", (pod, read) =>
    controllerOf(pod) === undefined ? matchingSelectors(read, statefulSetsBySelector, pod).map(keyOf) : [],
  )
  const lostClaim = watch(persistentVolumeClaims, "a claim of its pods is gone", setsUsingClaim, {
    predicate: ({ type }) => type === "deleted",
  })
  return controller("statefulset-controller", {
    for: statefulSets,
    owns: [pods, controllerRevisions],
    watches: [orphan, orphanRevisionWatch(statefulSetsBySelector), lostClaim],
    indexes: [podsByController, orphanPods, statefulSetsBySelector, setsByClaim, ...revisionIndexes],
    maxConcurrentReconciles: concurrentSyncs,
    observe,
    decide,
    settle,
    onReconciled: metrics && statefulSetMetrics(metrics),
    onCacheLagging: metrics && countStaleSkips(metrics, statefulSetFamilies.skips),
  })
}

function setsUsingClaim({ metadata }: PersistentVolumeClaim, read: Reader): readonly string[] {
  const stem = metadata.name?.replace(/-\d+$/, "")
  return read.byIndex(setsByClaim, `${metadata.namespace}/${stem}`).map(keyOf)
}

export const statefulSetDescriptor = descriptor({
  name: "statefulset-controller",
  aliases: ["statefulset"],
  flags: {
    "concurrent-statefulset-syncs": countFlag(5, "StatefulSets worked on at once"),
  },
  create: (set, { metrics }) => statefulSetController({ metrics, concurrentSyncs: set["concurrent-statefulset-syncs"] }),
})
