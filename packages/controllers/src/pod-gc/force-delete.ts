import type { Pod } from "@pilothouse/api/core/v1"
import type { PlanBuilder } from "@pilothouse/runtime"

/** Without grace: there is nobody who would end the pod and say so. */
export function forceDelete(built: PlanBuilder, pod: Pod, reason: string): void {
  built.delete(pod, reason, { gracePeriodSeconds: 0 })
}

/** Deleted without grace already; only finalizers still hold it. */
export function isForced({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0
}
