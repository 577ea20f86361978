import type { ReconcileResult } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { counterFamily, createMetrics } from "../shared/metric-families.ts"
import type { Observed } from "./observe.ts"

const subsystem = "pod_gc_collector"
const labels = ["namespace", "reason"]

export const podGcFamilies = {
  total: counterFamily(`${subsystem}_force_delete_pods_total`, labels, "Pods that were deleted without grace"),
  errors: counterFamily(`${subsystem}_force_delete_pod_errors_total`, labels, "Pods that could not be deleted without grace"),
}

/** The reasons are the concerns, which are upstream's words: terminated, out-of-service, orphaned, unscheduled. */
export function podGcMetrics(metrics: Metrics): (key: string, end: ReconcileResult<Observed>) => void {
  const { total, errors } = createMetrics(metrics, podGcFamilies)
  return (_key, { observed, results }) => {
    for (const { operation, ok } of results) {
      if (observed === undefined || ok === "skipped" || (operation.do !== "delete" && ok === true) || !("object" in operation)) continue
      const about = { namespace: operation.object.metadata.namespace ?? "", reason: observed.concern }
      if (ok) total.add(1, about)
      else errors.add(1, about)
    }
  }
}
