import { parseTime } from "@pilothouse/api"
import type { ReconcileResult } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { createMetrics, exponentialBuckets, histogramFamily } from "../shared/metric-families.ts"

export const cronJobFamilies = {
  skew: histogramFamily(
    "cronjob_controller_job_creation_skew_duration_seconds",
    [],
    "Time from when a run was due until its Job was made",
    exponentialBuckets(1, 2, 10),
  ),
}

const scheduledAt = "batch.kubernetes.io/cronjob-scheduled-timestamp"

/** Returns an observer of reconciles that measures how late Jobs are created after their scheduled time. */
export function cronJobMetrics(metrics: Metrics): (key: string, end: ReconcileResult) => void {
  const { skew } = createMetrics(metrics, cronJobFamilies)
  return (_key, { results }) => {
    for (const result of results) {
      if (result.operation.do !== "create" || result.ok !== true || result.object === undefined) continue
      const { annotations = {}, creationTimestamp } = result.object.metadata
      const due = annotations[scheduledAt]
      if (due !== undefined && creationTimestamp !== undefined) skew.observe((parseTime(creationTimestamp) - parseTime(due)) / 1000)
    }
  }
}
