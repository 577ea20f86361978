import { findCondition, formatTime } from "@pilothouse/api"
import type { PersistentVolumeClaim, PersistentVolumeClaimCondition } from "@pilothouse/api/core/v1"

const type = "Unused"

export function saysUnused({ status }: PersistentVolumeClaim): boolean {
  return findCondition(status?.conditions, type)?.status === "True"
}

/** Returns the conditions with the current Unused condition; undefined when they have it. */
export function withUnused(
  claim: PersistentVolumeClaim,
  isUsed: boolean,
  now: number,
): readonly PersistentVolumeClaimCondition[] | undefined {
  const conditions = claim.status?.conditions ?? []
  const before = findCondition(conditions, type)
  if (before !== undefined && saysUnused(claim) !== isUsed) return undefined
  const condition: PersistentVolumeClaimCondition = {
    type,
    lastTransitionTime: formatTime(now),
    ...(isUsed
      ? { status: "False", reason: "PodUsingPVC", message: "A pod is currently referencing this PVC" }
      : { status: "True", reason: "NoPodsUsingPVC", message: "No pods are currently referencing this PVC" }),
  }
  return before === undefined ? [...conditions, condition] : conditions.map((one) => (one.type === type ? condition : one))
}
