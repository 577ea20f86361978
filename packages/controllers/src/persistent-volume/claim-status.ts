import { compareAmounts, deepEqual, parseQuantity } from "@pilothouse/api"
import type { PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimStatus } from "@pilothouse/api/core/v1"
import type { KubeOperation } from "@pilothouse/runtime"
import { getAnnotation } from "./annotations.ts"

const preResizeCapacity = "volume.alpha.kubernetes.io/pre-resize-capacity"

/** Returns the status of a Pending or Lost claim, without the fields that come from a volume. */
export function unboundStatus({ status }: PersistentVolumeClaim, phase: "Pending" | "Lost"): PersistentVolumeClaimStatus {
  const { accessModes: _modes, capacity: _capacity, currentVolumeAttributesClassName: _attributes, ...kept } = status ?? {}
  return { ...kept, phase }
}

/**
 * Returns the status with the fields of the volume. The capacity is set only when the claim becomes bound: later the two may differ while a file system is
 * being resized.
 */
export function boundStatus({ status = {} }: PersistentVolumeClaim, volume: PersistentVolume): PersistentVolumeClaimStatus {
  const modes = volume.spec?.accessModes
  const becomesBound = status.phase !== "Bound"
  const attributes = status.phase === "Pending" ? volume.spec?.volumeAttributesClassName : undefined
  return {
    ...status,
    phase: "Bound",
    ...(modes !== undefined && { accessModes: modes }),
    ...(becomesBound && hasOtherSize(status, volume) && { capacity: sizeFor(volume) }),
    ...(attributes !== undefined && { currentVolumeAttributesClassName: attributes }),
  }
}

function hasOtherSize({ capacity }: PersistentVolumeClaimStatus, volume: PersistentVolume): boolean {
  const [before, now] = [capacity?.storage, sizeFor(volume).storage]
  return before === undefined || now === undefined || compareAmounts(parseQuantity(before), parseQuantity(now)) !== 0
}

function sizeFor(volume: PersistentVolume): NonNullable<PersistentVolumeClaimStatus["capacity"]> {
  const before = getAnnotation(volume, preResizeCapacity)
  return before === undefined ? (volume.spec?.capacity ?? {}) : { ...volume.spec?.capacity, storage: before }
}

/** Returns the status write at the observed version; undefined when the claim has that status. */
export function statusWrite(claim: PersistentVolumeClaim, status: PersistentVolumeClaimStatus, reason: string): KubeOperation | undefined {
  return deepEqual(status, claim.status) ? undefined : { do: "status", object: claim, status, reason }
}

/** Returns the same as a patch, for a claim that the plan has written before. Conditions belong to other controllers and may have changed since. */
export function statusPatch(claim: PersistentVolumeClaim, status: PersistentVolumeClaimStatus, reason: string): KubeOperation | undefined {
  if (deepEqual(status, claim.status)) return undefined
  const { conditions: _theirs, ...ours } = status
  return { do: "patch", object: claim, patch: { metadata: { uid: claim.metadata.uid }, status: ours }, subresource: "status", reason }
}
