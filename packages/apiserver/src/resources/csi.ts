import { addInt64, checkDns1123Subdomain, deepEqual, type FieldError, fieldError } from "@pilothouse/api"
import type { CSIDriver, CSIStorageCapacity, VolumeAttachment, VolumeAttributesClass } from "@pilothouse/api/storage/v1"
import { immutable, required } from "../validation/field-rules.ts"
import type { ResourceStrategy } from "./resource.ts"

export const csiDriver: ResourceStrategy<CSIDriver> = {
  unconditionalUpdate: false,
  deleteAnswer: "object",
  defaults({ spec }) {
    if (spec === undefined) return
    spec.attachRequired ??= true
    spec.podInfoOnMount ??= false
    spec.storageCapacity ??= false
    spec.fsGroupPolicy ??= "ReadWriteOnceWithFSType"
    spec.volumeLifecycleModes ??= ["Persistent"]
    spec.requiresRepublish ??= false
    spec.seLinuxMount ??= false
  },
  // Counted from the first change on: a new driver has none.
  prepareForUpdate(object, old) {
    if (!deepEqual(object.spec, old.spec)) object.metadata.generation = addInt64(old.metadata.generation ?? 0, 1)
  },
}

export const volumeAttachment: ResourceStrategy<VolumeAttachment> = {
  statusKeeps: "metadata",
  unconditionalUpdate: false,
  deleteAnswer: "object",
  validate: ({ spec }) => [
    ...required(spec?.attacher, "spec.attacher"),
    ...attachedErrors(spec?.source ?? {}),
    ...checkDns1123Subdomain(spec?.nodeName ?? "").map((text) => fieldError.invalid("spec.nodeName", spec?.nodeName ?? "", text)),
  ],
  validateUpdate: ({ spec }, { spec: old }) => immutable(spec, old, "spec"),
}

function attachedErrors({ inlineVolumeSpec, persistentVolumeName }: Partial<VolumeAttachment["spec"]["source"]>): readonly FieldError[] {
  const field = "spec.source"
  const text = "must specify exactly one of inlineVolumeSpec and persistentVolumeName"
  if (inlineVolumeSpec === undefined && persistentVolumeName === undefined) return [fieldError.required(field, text)]
  if (inlineVolumeSpec !== undefined && persistentVolumeName !== undefined) return [fieldError.forbidden(field, text)]
  return persistentVolumeName === ""
    ? [fieldError.required(`${field}.persistentVolumeName`, "must specify non empty persistentVolumeName")]
    : []
}

export const csiStorageCapacity: ResourceStrategy<CSIStorageCapacity> = {
  unconditionalUpdate: false,
  validate: ({ storageClassName = "" }) =>
    checkDns1123Subdomain(storageClassName).map((text) => fieldError.invalid("storageClassName", storageClassName, text)),
  validateUpdate: (object, old) => [
    ...immutable(object.nodeTopology, old.nodeTopology, "nodeTopology"),
    ...immutable(object.storageClassName, old.storageClassName, "storageClassName"),
  ],
}

export const volumeAttributesClass: ResourceStrategy<VolumeAttributesClass> = {
  deleteAnswer: "object",
  validate: ({ driverName, parameters = {} }) => [
    ...required(driverName, "driverName"),
    ...(Object.keys(parameters).length === 0 ? [fieldError.required("parameters", "must contain at least one key/value pair")] : []),
  ],
  validateUpdate: (object, old) => [
    ...immutable(object.driverName, old.driverName, "driverName"),
    ...immutable(object.parameters, old.parameters, "parameters"),
  ],
}
