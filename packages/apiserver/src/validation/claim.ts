import { checkDns1123Subdomain, compareAmounts, deepEqual, type FieldError, fieldError, parseQuantity } from "@pilothouse/api"
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from "@pilothouse/api/core/v1"
import { immutable, named } from "./field-rules.ts"
import { accessModeErrors, positive, volumeModeErrors } from "./volume.ts"

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
  const text = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
  const same = deepEqual(withoutChanges(spec ?? {}, before, status?.phase === "Bound"), before)
  return [
    ...(same ? [] : [fieldError.forbidden("spec", text)]),
    ...sizeErrors(spec, old),
    ...immutable(spec?.volumeMode, before.volumeMode, "volumeMode"),
  ]
}

/** The new spec with what may have changed as it was before. */
function withoutChanges(spec: PersistentVolumeClaimSpec, before: PersistentVolumeClaimSpec, bound: boolean): PersistentVolumeClaimSpec {
  const { resources, volumeAttributesClassName, volumeName, storageClassName } = before
  const storage = resources?.requests?.storage
  const requests = { ...spec.resources?.requests, ...(bound && storage !== undefined && { storage }) }
  return {
    ...spec,
    resources: { ...spec.resources, requests },
    ...(bound && { volumeAttributesClassName }),
    ...((volumeName ?? "") === "" && { volumeName }),
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
