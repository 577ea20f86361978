import type { ReconcileResult } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { counterFamily, createMetrics, histogramFamily } from "../shared/metric-families.ts"
import type { Observed } from "./observe.ts"

const subsystem = "taint_eviction_controller"
const buckets = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240]

export const taintEvictionFamilies = {
  total: counterFamily(`${subsystem}_pod_deletions_total`, [], "Pods that were deleted because of their node's taints"),
  seconds: histogramFamily(
    `${subsystem}_pod_deletion_duration_seconds`,
    [],
    "Time from when a pod had to leave its node until it was deleted",
    buckets,
  ),
}

/** Upstream writes nanoseconds times a second into the histogram by mistake; ours has seconds, as its name says. */
export function taintEvictionMetrics(metrics: Metrics): (key: string, end: ReconcileResult<Observed>) => void {
  const { total, seconds } = createMetrics(metrics, taintEvictionFamilies)
  return (_key, { observed, results, now, milliseconds }) => {
    if (!results.some(({ operation, ok }) => operation.do === "delete" && ok === true)) return
    total.add()
    const began = now - milliseconds
    seconds.observe((now - Math.min(observed?.timer?.at ?? began, began)) / 1000)
  }
}
