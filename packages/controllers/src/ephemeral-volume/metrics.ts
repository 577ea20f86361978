import type { ReconcileResult } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { counterFamily, createMetrics } from "../shared/metric-families.ts"

const subsystem = "ephemeral_volume_controller"

export const ephemeralVolumeFamilies = {
  total: counterFamily(`${subsystem}_create_total`, [], "Claims that were requested"),
  failures: counterFamily(`${subsystem}_create_failures_total`, [], "Claims that were requested and refused"),
}

export function ephemeralVolumeMetrics(metrics: Metrics): (key: string, end: ReconcileResult) => void {
  const { total, failures } = createMetrics(metrics, ephemeralVolumeFamilies)
  return (_key, { results }) => {
    const tried = results.filter(({ operation, ok }) => operation.do === "create" && ok !== "skipped")
    if (tried.length > 0) total.add(tried.length)
    const refused = tried.filter(({ ok }) => ok === false)
    if (refused.length > 0) failures.add(refused.length)
  }
}
