import { keyOf } from "@pilothouse/api"
import type { Scale } from "@pilothouse/api/autoscaling/v1"
import { horizontalPodAutoscalers } from "@pilothouse/api/autoscaling/v2"
import { type CacheObserver, cacheObserver, type ReconcileResult, type Result } from "@pilothouse/runtime"
import type { Labels, Metrics } from "@pilothouse/seams"
import { counterFamily, createMetrics, exponentialBuckets, gaugeFamily, histogramFamily } from "../shared/metric-families.ts"
import { ObjectCountGauge } from "../shared/object-count-gauge.ts"
import { staleSkipsFamily } from "../shared/stale-sync-skips.ts"
import { type Observed, scaleReplicas } from "./observe.ts"
import type { Reading } from "./samples.ts"
import { metricSpecs } from "./sync-mode.ts"
import { targetSelector } from "./target-selector.ts"

const subsystem = "horizontal_pod_autoscaler_controller"
const reconcileLabels = ["action", "error"]
const metricLabels = ["action", "error", "metric_type"]
const buckets = exponentialBuckets(0.001, 2, 15)

export const horizontalPodAutoscalerFamilies = {
  reconciliations: counterFamily(`${subsystem}_reconciliations_total`, reconcileLabels, "Reconciles of autoscalers, by their result"),
  seconds: histogramFamily(
    `${subsystem}_reconciliation_duration_seconds`,
    reconcileLabels,
    "How long a reconcile of an autoscaler took",
    buckets,
  ),
  computations: counterFamily(`${subsystem}_metric_computation_total`, metricLabels, "Metrics that were read and evaluated"),
  computing: histogramFamily(
    `${subsystem}_metric_computation_duration_seconds`,
    metricLabels,
    "How long a metric took; all of an autoscaler are read at once, within its reconcile",
    buckets,
  ),
  count: gaugeFamily(`${subsystem}_num_horizontal_pod_autoscalers`, [], "Autoscalers that there are"),
  desired: gaugeFamily(`${subsystem}_desired_replicas`, ["namespace", "hpa_name"], "Replicas that the autoscaler last requested"),
  skips: staleSkipsFamily(subsystem, "Autoscalers"),
}

/** Returns an observer of reconciles that keeps upstream's metrics of autoscalers. */
export function horizontalPodAutoscalerMetrics(metrics: Metrics) {
  const created = createMetrics(metrics, horizontalPodAutoscalerFamilies)
  const counted = new ObjectCountGauge(created.count)
  /** Labels of those that there are, by key. */
  const known = new Map<string, Labels>()
  const forget = (key: string) => {
    const labels = known.get(key)
    if (labels !== undefined) created.desired.remove(labels)
    known.delete(key)
    counted.set(key, undefined)
  }
  return {
    follower: cacheObserver(horizontalPodAutoscalers, {
      restart() {
        for (const key of known.keys()) forget(key)
      },
      changed({ type, object }) {
        const key = keyOf(object)
        if (type === "deleted") return forget(key)
        const { namespace = "", name: hpa_name = "" } = object.metadata
        known.set(key, { namespace, hpa_name })
        counted.set(key, {})
      },
    }) satisfies CacheObserver,
    onReconciled(key: string, { observed, results, error, milliseconds }: ReconcileResult<Observed>): void {
      if (observed === undefined) return
      const scaled = results.find(({ operation }) => operation.do === "update")
      const action = scaled?.ok === true ? scaleAction(observed, scaled) : "none"
      const about = { action, error: errorLabel(observed, error) }
      created.reconciliations.add(1, about)
      created.seconds.observe(milliseconds / 1000, about)
      for (const [at, { type }] of metricSpecs(observed.hpa).entries()) {
        const reading = observed.readings[at]
        if (reading === undefined) continue
        const of = { action: hasFailed(reading) ? "none" : action, error: hasFailed(reading) ? "internal" : "none", metric_type: type }
        created.computations.add(1, of)
        created.computing.observe(milliseconds / 1000, of)
      }
      const size = scaled?.ok === true ? sizeIn(scaled) : "failure" in observed.target ? undefined : scaleReplicas(observed.target.scale)
      // The reconcile may have been running when it was deleted.
      const labels = known.get(key)
      if (size !== undefined && labels !== undefined) created.desired.set(size, labels)
    },
  }
}

function sizeIn({ operation }: Result): number {
  return operation.do === "update" ? scaleReplicas(operation.object as Scale) : 0
}

function scaleAction({ target }: Observed, scaled: Result): string {
  return !("failure" in target) && sizeIn(scaled) > scaleReplicas(target.scale) ? "scale_up" : "scale_down"
}

/** An invalid selector is an error of the spec; what cannot be read is internal. */
function errorLabel({ target, readings, scaledBy }: Observed, error: unknown): string {
  if (error !== undefined || "failure" in target) return "internal"
  if ("problem" in targetSelector(target.scale) || scaledBy.length > 1) return "spec"
  return readings.length > 0 && readings.every(hasFailed) ? "internal" : "none"
}

function hasFailed(reading: Reading): boolean {
  return "failure" in reading
}
