import { deepEqual, type FieldError, fieldError } from "@pilothouse/api"
import type { PersistentVolume, PersistentVolumeClaim, PersistentVolumeClaimSpec } from "@pilothouse/api/core/v1"
import type { StorageClass } from "@pilothouse/api/storage/v1"
import { immutable } from "../validation/field-rules.ts"
import type { Special } from "./resource.ts"

export const persistentVolume: Special<PersistentVolume> = {
  defaults({ spec }) {
    if (spec === undefined) return
    spec.persistentVolumeReclaimPolicy ??= "Retain"
    spec.volumeMode ??= "Filesystem"
    if (spec.claimRef !== undefined) {
      spec.claimRef.apiVersion ??= "v1"
      spec.claimRef.kind ??= "PersistentVolumeClaim"
    }
    if (spec.hostPath) spec.hostPath.type ??= ""
  },
  prepareForCreate(object) {
    object.status = { phase: "Pending" }
  },
  validate: ({ spec }) => [
    ...((spec?.accessModes ?? []).length === 0 ? [fieldError.required("spec.accessModes")] : []),
    ...(spec?.capacity?.storage === undefined ? [fieldError.required("spec.capacity")] : []),
  ],
  validateUpdate: ({ spec }, { spec: old }) => immutable(spec?.volumeMode, old?.volumeMode, "spec.volumeMode"),
  deleteAnswer: "object",
}

export const persistentVolumeClaim: Special<PersistentVolumeClaim> = {
  defaults(object) {
    if (object.spec === undefined) return
    object.spec.volumeMode ??= "Filesystem"
    object.status ??= {}
    object.status.phase ??= "Pending"
  },
  prepareForCreate(object) {
    object.status = { phase: "Pending" }
  },
  validate: ({ spec }) => [
    ...((spec?.accessModes ?? []).length === 0 ? [fieldError.required("spec.accessModes", "at least 1 access mode is required")] : []),
    ...(spec?.resources?.requests?.storage === undefined ? [fieldError.required("spec.resources[storage]")] : []),
  ],
  validateUpdate: (object, old) => claimErrors(object.spec, old),
  deleteAnswer: "object",
}

/** The size may grow, and a volume may be bound; nothing else of a claim changes. */
function claimErrors(spec: PersistentVolumeClaimSpec | undefined, old: PersistentVolumeClaim): readonly FieldError[] {
  const before = old.spec
  const same: PersistentVolumeClaimSpec = {
    ...spec,
    resources: before?.resources,
    volumeAttributesClassName: before?.volumeAttributesClassName,
    ...((before?.volumeName ?? "") === "" && { volumeName: before?.volumeName }),
    ...(before?.storageClassName === undefined && { storageClassName: undefined }),
  }
  if (deepEqual(same, before)) return []
  const text = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
  return [fieldError.forbidden("spec", text)]
}

export const storageClass: Special<StorageClass> = {
  defaults(object) {
    object.reclaimPolicy ??= "Delete"
    object.volumeBindingMode ??= "Immediate"
  },
  validateUpdate: (object, old) => [
    ...(deepEqual(object.parameters, old.parameters) ? [] : [fieldError.forbidden("parameters", "updates to parameters are forbidden.")]),
    ...(object.provisioner === old.provisioner ? [] : [fieldError.forbidden("provisioner", "updates to provisioner are forbidden.")]),
    ...immutable(object.reclaimPolicy, old.reclaimPolicy, "reclaimPolicy"),
    ...immutable(object.volumeBindingMode, old.volumeBindingMode, "volumeBindingMode"),
  ],
  deleteAnswer: "object",
}
