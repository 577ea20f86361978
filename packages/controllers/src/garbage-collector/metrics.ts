import type { Metrics } from "@pilothouse/seams"
import { counterFamily, createMetrics } from "../shared/metric-families.ts"

export const garbageCollectorFamilies = {
  syncErrors: counterFamily(
    "garbagecollector_controller_resources_sync_error_total",
    [],
    "Times that the server, or one of its API groups, did not say what resources it has",
  ),
}

export function countSyncErrors(metrics: Metrics): () => void {
  const { syncErrors } = createMetrics(metrics, garbageCollectorFamilies)
  return () => syncErrors.add()
}
