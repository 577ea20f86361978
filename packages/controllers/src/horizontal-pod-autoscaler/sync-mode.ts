import { isConditionTrue } from "@pilothouse/api"
import type { HorizontalPodAutoscaler, MetricSpec } from "@pilothouse/api/autoscaling/v2"

/** What a reconcile does: nothing, correct a size out of bounds, or follow the metrics. */
export type SyncMode =
  | { readonly do: "rest" }
  | { readonly do: "clamp"; readonly to: number; readonly reason: string }
  | { readonly do: "measure" }

const belowMin = "Current number of replicas below Spec.MinReplicas"

/** A target that a user scaled to zero is disabled. One that the autoscaler itself scaled to zero is not. */
export function syncMode(hpa: HorizontalPodAutoscaler, current: number): SyncMode {
  const min = minReplicas(hpa)
  if (current === 0) return scaledToZero(hpa) && (min !== 0 || canBeZero(hpa)) ? { do: "measure" } : { do: "rest" }
  if (current > hpa.spec.maxReplicas)
    return { do: "clamp", to: hpa.spec.maxReplicas, reason: "Current number of replicas above Spec.MaxReplicas" }
  return current < min ? { do: "clamp", to: min, reason: belowMin } : { do: "measure" }
}

/** Returns the desired replicas: at least minReplicas where that was raised after the target was scaled to zero, whatever the metrics say. */
export function raisedFromZero(hpa: HorizontalPodAutoscaler, current: number, desired: number, reason: string) {
  const min = minReplicas(hpa)
  if (current !== 0 || !scaledToZero(hpa) || desired > min) return { desired, reason }
  return { desired: min, reason: reason === "" ? belowMin : reason }
}

export function minReplicas({ spec }: HorizontalPodAutoscaler): number {
  return spec.minReplicas ?? 1
}

const defaultMetrics: readonly MetricSpec[] = [
  { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } } },
]

/** Returns the metrics of the spec. An API server fills in the default. */
export function metricSpecs({ spec }: HorizontalPodAutoscaler): readonly MetricSpec[] {
  return spec.metrics?.length ? spec.metrics : defaultMetrics
}

/** Pods that are not there use nothing: only a metric of something else can bring them back. */
export function canBeZero(hpa: HorizontalPodAutoscaler): boolean {
  return metricSpecs(hpa).some(({ type }) => type === "Object" || type === "External")
}

function scaledToZero({ status }: HorizontalPodAutoscaler): boolean {
  return isConditionTrue(status?.conditions, "ScaledToZero")
}
