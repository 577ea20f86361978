import { controllerOf, hasFinalizer } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import type { KubeOperation, Operation } from "@pilothouse/runtime"

/** Prevents a finished pod from being deleted before its Job has counted it. */
export const trackingFinalizer = "batch.kubernetes.io/job-tracking"

export function isTracked(pod: Pod): boolean {
  return hasFinalizer(pod, trackingFinalizer)
}

const withoutFinalizer = { metadata: { "$deleteFromPrimitiveList/finalizers": [trackingFinalizer] } }

/** Removes the finalizer from a pod; NotFound is tolerated. */
export function untrack(pod: Pod, reason: string): KubeOperation {
  return { do: "patch", object: pod, patch: withoutFinalizer, type: "strategic", tolerate: ["NotFound"], reason }
}

/** Returns the pod of an operation that `untrack` made. */
export function podUntrackedBy(operation: Operation): Pod | undefined {
  return operation.do === "patch" && "patch" in operation && operation.patch === withoutFinalizer ? (operation.object as Pod) : undefined
}

/** Stands in a key in place of a Job's name; no Job can have it. */
export const noJob = "-"

/**
 * Returns the key under which a tracked pod is released if its Job does not do it: the owning Job, or `noJob` in its namespace when it has
 * no owner. Empty for pods that are not tracked or belong to other kinds.
 */
export function trackingKeys(pod: Pod): readonly string[] {
  if (!isTracked(pod)) return []
  const owner = controllerOf(pod)
  if (owner === undefined) return [`${pod.metadata.namespace}/${noJob}`]
  return owner.kind === "Job" && owner.apiVersion === "batch/v1" ? [`${pod.metadata.namespace}/${owner.name}`] : []
}
