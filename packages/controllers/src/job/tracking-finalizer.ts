import { controllerOf, hasFinalizer } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import type { KubeOperation } from "@pilothouse/runtime"

/** Keeps a pod that has ended from vanishing before its Job has counted it. */
export const trackingFinalizer = "batch.kubernetes.io/job-tracking"

export function isTracked(pod: Pod): boolean {
  return hasFinalizer(pod, trackingFinalizer)
}

/** Lets a pod go. One that is gone already needs no letting go. */
export function untrack(pod: Pod, because: string): KubeOperation {
  const patch = { metadata: { "$deleteFromPrimitiveList/finalizers": [trackingFinalizer] } }
  return { do: "patch", object: pod, patch, type: "strategic", fineIf: ["NotFound"], because }
}

/**
 * Under which key a tracked pod waits for somebody to let it go should its Job not do so: the Job it names, or "namespace/" when it names
 * none (no Job has an empty name). None for what is not tracked, and for what belongs to other kinds.
 */
export function trackingKeys(pod: Pod): readonly string[] {
  if (!isTracked(pod)) return []
  const owner = controllerOf(pod)
  if (owner === undefined) return [`${pod.metadata.namespace}/`]
  return owner.kind === "Job" && owner.apiVersion === "batch/v1" ? [`${pod.metadata.namespace}/${owner.name}`] : []
}
