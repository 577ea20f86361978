import { isPodReady, parseTime } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import type { ReconcileResult } from "@pilothouse/runtime"
import { type Metrics, smallestOf } from "@pilothouse/seams"
import { createMetrics, exponentialBuckets, histogramFamily } from "../shared/metric-families.ts"
import { staleSkipsFamily } from "../shared/stale-sync-skips.ts"
import type { Observed } from "./observe.ts"

const subsystem = "replicaset_controller"

export const replicaSetFamilies = {
  ageRatio: histogramFamily(
    `${subsystem}_sorting_deletion_age_ratio`,
    [],
    "Age of a ready pod that was chosen to go, as a multiple of that of the youngest ready one; below 2 as a rule",
    exponentialBuckets(0.25, 2, 6),
  ),
  skips: staleSkipsFamily(subsystem, "ReplicaSets and ReplicationControllers"),
}

/** Returns an observer of reconciles that measures the age of deleted pods beside the youngest ready one. */
export function replicaSetMetrics(metrics: Metrics): (key: string, end: ReconcileResult<Observed>) => void {
  const { ageRatio } = createMetrics(metrics, replicaSetFamilies)
  return (_key, { observed, results, now }) => {
    const gone = results.filter(({ operation, ok }) => operation.do === "delete" && ok !== "skipped")
    if (observed === undefined || gone.length === 0) return
    const ready = new Map(observed.active.filter(isPodReady).map((pod) => [pod.metadata.uid, podAge(pod, now)]))
    const youngest = smallestOf(ready.values())
    for (const { operation } of gone) {
      const age = "object" in operation ? ready.get(operation.object.metadata.uid) : undefined
      // An age of 0 has no multiples.
      if (age !== undefined && youngest > 0) ageRatio.observe(Math.trunc(age / youngest))
    }
  }
}

function podAge({ metadata: { creationTimestamp } }: Pod, now: number): number {
  return creationTimestamp === undefined ? 0 : now - parseTime(creationTimestamp)
}
