import { controllerOf, hasFinalizer } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import type { KubeOperation, Operation } from "@pilothouse/runtime"

/** Keeps a pod that has ended from vanishing before its Job has counted it. */
export const trackingFinalizer = "batch.kubernetes.io/job-tracking"

export function isTracked(pod: Pod): boolean {
  return hasFinalizer(pod, trackingFinalizer)
}

const withoutFinalizer = { metadata: { "$deleteFromPrimitiveList/finalizers": [trackingFinalizer] } }

/** Lets a pod go. One that is gone already needs no letting go. */
export function untrack(pod: Pod, reason: string): KubeOperation {
  return { do: "patch", object: pod, patch: withoutFinalizer, type: "strategic", tolerate: ["NotFound"], reason }
}

/** The pod that an operation of `untrack` lets go. */
export function untrackedBy(operation: Operation): Pod | undefined {
  return operation.do === "patch" && "patch" in operation && operation.patch === withoutFinalizer ? (operation.object as Pod) : undefined
}

/** No Job can be called that. */
export const nobody = "-"

/**
 * Under which key a tracked pod waits for somebody to let it go should its Job not do so: the Job it names, or nobody in its namespace when it names
 * none. None for what is not tracked, and for what belongs to other kinds.
 */
export function trackingKeys(pod: Pod): readonly string[] {
  if (!isTracked(pod)) return []
  const owner = controllerOf(pod)
  if (owner === undefined) return [`${pod.metadata.namespace}/${nobody}`]
  return owner.kind === "Job" && owner.apiVersion === "batch/v1" ? [`${pod.metadata.namespace}/${owner.name}`] : []
}
