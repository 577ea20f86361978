import type { Pod } from "../generated/core/v1.types.ts"
import { findCondition, isConditionTrue } from "../meta/conditions.ts"
import { parseTime } from "../text/time.ts"

/** Reports whether the pod has the condition Ready with status True. */
export function isPodReady(pod: Pod): boolean {
  return isConditionTrue(pod.status?.conditions, "Ready")
}

/** Ready, and for at least minReadySeconds. */
export function isPodAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  const waiting = podAvailableAfter(pod, minReadySeconds, now)
  return waiting !== undefined && waiting <= 0
}

/** Milliseconds until a ready pod becomes available: 0 or less when it is; undefined when it is not ready. */
export function podAvailableAfter(pod: Pod, minReadySeconds: number, now: number): number | undefined {
  const ready = findCondition(pod.status?.conditions, "Ready")
  if (ready?.status !== "True") return undefined
  if (minReadySeconds === 0) return 0
  if (ready.lastTransitionTime === undefined || ready.lastTransitionTime === null) return undefined
  return parseTime(ready.lastTransitionTime) + minReadySeconds * 1000 - now
}

/** Finished: all containers stopped, and none will be started again. */
export function isPodTerminal(pod: Pod): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed"
}

/** Neither finished nor on its way out: it counts as a replica. */
export function isPodActive(pod: Pod): boolean {
  return !isPodTerminal(pod) && !isDeleted(pod)
}

/** Asked to stop and not stopped yet. */
export function isPodTerminating(pod: Pod): boolean {
  return !isPodTerminal(pod) && isDeleted(pod)
}

function isDeleted(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined
}
