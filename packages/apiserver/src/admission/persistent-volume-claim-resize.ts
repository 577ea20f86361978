import { compareAmounts, forbidden, parseQuantity } from "@pilothouse/api"
import type { PersistentVolumeClaim } from "@pilothouse/api/core/v1"
import { storageClasses } from "@pilothouse/api/storage/v1"
import { readObject } from "../objects/key.ts"
import type { AdmissionPlugin, Admitting } from "./plugin.ts"

/** A claim may ask for more only where its class says that volumes can grow. */
export const persistentVolumeClaimResize: AdmissionPlugin = {
  name: "PersistentVolumeClaimResize",
  validate(admitting) {
    const { group, plural } = admitting.resource.descriptor
    if (group !== "" || plural !== "persistentvolumeclaims" || admitting.subresource !== "" || admitting.operation !== "UPDATE") return
    const [now, before] = [admitting.object as PersistentVolumeClaim, admitting.old as PersistentVolumeClaim]
    if (compareAmounts(sizeOf(now), sizeOf(before)) <= 0) return
    if (before.status?.phase !== "Bound") throw refusal(admitting, "Only bound persistent volume claims can be expanded")
    if (!mayGrow(admitting, now, before)) {
      throw refusal(
        admitting,
        "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
      )
    }
  },
}

function sizeOf({ spec }: PersistentVolumeClaim) {
  return parseQuantity(spec?.resources?.requests?.storage ?? "0")
}

function mayGrow({ call }: Admitting, now: PersistentVolumeClaim, before: PersistentVolumeClaim): boolean {
  const name = classOf(now)
  if (name === "" || name !== classOf(before)) return false
  const { storage, registry } = call.server
  return readObject(storage, registry.of(storageClasses), undefined, name)?.allowVolumeExpansion === true
}

/** The annotation is from before there was a field. */
function classOf({ metadata, spec }: PersistentVolumeClaim): string {
  return metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] ?? spec?.storageClassName ?? ""
}

function refusal({ resource, name }: Admitting, why: string) {
  return forbidden(resource.descriptor, name, why)
}
