import { compareAmounts, parseQuantity } from "@pilothouse/api"
import type { PersistentVolumeClaim } from "@pilothouse/api/core/v1"
import { storageClasses } from "@pilothouse/api/storage/v1"
import { readObject } from "../../registry/object-key.ts"
import { type AdmissionAttributes, type AdmissionPlugin, refusal } from "../plugin.ts"

/** Refuses to expand a claim that is not bound, or whose class does not allow volume expansion. */
export const persistentVolumeClaimResize: AdmissionPlugin = {
  name: "PersistentVolumeClaimResize",
  validate(attributes) {
    const { group, plural } = attributes.resource.descriptor
    if (group !== "" || plural !== "persistentvolumeclaims" || attributes.subresource !== "" || attributes.operation !== "UPDATE") return
    const [now, before] = [attributes.object as PersistentVolumeClaim, attributes.old as PersistentVolumeClaim]
    if (compareAmounts(sizeOf(now), sizeOf(before)) <= 0) return
    if (before.status?.phase !== "Bound") throw refusal(attributes, "Only bound persistent volume claims can be expanded")
    if (!mayGrow(attributes, now, before)) {
      throw refusal(
        attributes,
        "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
      )
    }
  },
}

function sizeOf({ spec }: PersistentVolumeClaim) {
  return parseQuantity(spec?.resources?.requests?.storage ?? "0")
}

function mayGrow({ server }: AdmissionAttributes, now: PersistentVolumeClaim, before: PersistentVolumeClaim): boolean {
  const name = classOf(now)
  if (name === "" || name !== classOf(before)) return false
  const { storage, registry } = server
  return readObject(storage, registry.of(storageClasses), undefined, name)?.allowVolumeExpansion === true
}

/** The annotation is from before there was a field. */
function classOf({ metadata, spec }: PersistentVolumeClaim): string {
  return metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? spec?.storageClassName ?? ""
}
