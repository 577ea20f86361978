import { parseTime } from "@pilothouse/api"
import type { ReconcileResult } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { finishedCondition } from "../job/finished.ts"
import { createMetrics, exponentialBuckets, histogramFamily } from "../shared/metric-families.ts"
import type { Observed } from "./observe.ts"

export const ttlAfterFinishedFamilies = {
  seconds: histogramFamily(
    "ttl_after_finished_controller_job_deletion_duration_seconds",
    [],
    "Time from when a Job may be deleted until it was",
    exponentialBuckets(0.1, 2, 14),
  ),
}

export function ttlAfterFinishedMetrics(metrics: Metrics): (key: string, end: ReconcileResult<Observed>) => void {
  const { seconds } = createMetrics(metrics, ttlAfterFinishedFamilies)
  return (_key, { observed, results, now }) => {
    const ended = observed && finishedCondition(observed.job)?.lastTransitionTime
    if (!ended || !results.some(({ operation, ok }) => operation.do === "delete" && ok === true)) return
    seconds.observe((now - parseTime(ended)) / 1000 - (observed.job.spec?.ttlSecondsAfterFinished ?? 0))
  }
}
