import { checkDns1123Subdomain, compareAmounts, deepEqual, type FieldError, fieldError, parseQuantity } from "@pilothouse/api"
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from "@pilothouse/api/core/v1"
import { immutable, named } from "../field-rules.ts"
import { goStructText } from "../go-struct.ts"
import { unifiedDiff } from "../unified-diff.ts"
import { accessModeErrors, positive, volumeModeErrors } from "./volume.ts"
import { claimSpecLayout } from "./volume-layouts.ts"

/** Returns what is wrong with the spec of a PersistentVolumeClaim. */
export function claimErrors(spec: PersistentVolumeClaimSpec | undefined): readonly FieldError[] {
  const storage = spec?.resources?.requests?.storage
  const field = "spec.resources[storage]"
  return [
    ...((spec?.accessModes ?? []).length === 0 ? [fieldError.required("spec.accessModes", "at least 1 access mode is required")] : []),
    ...accessModeErrors(spec?.accessModes ?? []),
    ...(storage === undefined ? [fieldError.required(field)] : positive(storage, field)),
    ...volumeModeErrors(spec?.volumeMode),
    ...((spec?.storageClassName ?? "") === "" ? [] : named(spec?.storageClassName, checkDns1123Subdomain, "spec.storageClassName")),
  ]
}

/** A claim gets its volume once, and a class if it had none; a bound one may ask for more. Nothing else changes. */
export function claimUpdateErrors({ spec, status }: PersistentVolumeClaim, old: PersistentVolumeClaim): readonly FieldError[] {
  const before = old.spec ?? {}
  return [
    ...changeErrors(withoutChanges(spec ?? {}, before, status?.phase === "Bound"), withVolume(before, spec)),
    ...sizeErrors(spec, old),
    ...immutable(spec?.volumeMode, before.volumeMode, "volumeMode"),
  ]
}

function changeErrors(now: PersistentVolumeClaimSpec, before: PersistentVolumeClaimSpec): readonly FieldError[] {
  if (deepEqual(now, before)) return []
  const text = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
  const difference = unifiedDiff(goStructText(before, claimSpecLayout), goStructText(now, claimSpecLayout))
  return [fieldError.forbidden("spec", `${text}\n${difference}`)]
}

/** The old spec with the volume that a claim gets once. */
function withVolume(before: PersistentVolumeClaimSpec, now: PersistentVolumeClaimSpec | undefined): PersistentVolumeClaimSpec {
  return (before.volumeName ?? "") === "" ? { ...before, volumeName: now?.volumeName } : before
}

/** The new spec with what may have changed as it was before. */
function withoutChanges(spec: PersistentVolumeClaimSpec, before: PersistentVolumeClaimSpec, bound: boolean): PersistentVolumeClaimSpec {
  const { resources, volumeAttributesClassName, storageClassName } = before
  const storage = resources?.requests?.storage
  const requests = { ...spec.resources?.requests, ...(bound && storage !== undefined && { storage }) }
  return {
    ...spec,
    resources: { ...spec.resources, requests },
    ...(bound && { volumeAttributesClassName }),
    ...(storageClassName === undefined && { storageClassName }),
  }
}

/** A claim that asked for too much may ask for less again, but never for less than it has. */
function sizeErrors(spec: PersistentVolumeClaimSpec | undefined, { spec: before, status }: PersistentVolumeClaim): readonly FieldError[] {
  const sizes = [spec?.resources?.requests?.storage, before?.resources?.requests?.storage, status?.capacity?.storage]
  const [now, then, has] = sizes.map((text) => parseQuantity(text ?? "0"))
  if (compareAmounts(now!, then!) >= 0 || compareAmounts(now!, has!) > 0) return []
  return [fieldError.forbidden("spec.resources.requests.storage", "field can not be less than status.capacity")]
}
