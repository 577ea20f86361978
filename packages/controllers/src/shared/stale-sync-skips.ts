import type { Controller } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { counterFamily, createMetrics, type MetricFamily } from "./metric-families.ts"

export function staleSkipsFamily(subsystem: string, what: string): MetricFamily<"counter"> {
  const help = `${what} whose reconcile was delayed because the cache did not show the controller's own writes`
  return counterFamily(`${subsystem}_stale_sync_skips_total`, ["group", "resource"], help)
}

/** Counts delayed reconciles, for ControllerSpec.onCacheLagging: by the first kind whose cache is behind. */
export function countStaleSkips(metrics: Metrics, family: MetricFamily<"counter">): Required<Controller>["onCacheLagging"] {
  const { skips } = createMetrics(metrics, { skips: family })
  return (_key, [kind]) => skips.add(1, { group: kind?.group ?? "", resource: kind?.plural ?? "" })
}
