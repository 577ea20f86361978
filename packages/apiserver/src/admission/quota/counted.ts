import { hasDeadline, isDeviceClaim } from "@pilothouse/api"
import type { PersistentVolumeClaim, Pod } from "@pilothouse/api/core/v1"
import type { AdmissionAttributes } from "../plugin.ts"

/** Whether a write can take more of a quota: everything is counted when it is made, a few kinds also when they change. */
export function isCounted({ operation, resource, subresource, object, old }: AdmissionAttributes): boolean {
  if (operation === "CREATE") return subresource === ""
  if (operation !== "UPDATE") return false
  if (isDeviceClaim(resource.descriptor)) return subresource === ""
  if (resource.descriptor.group !== "") return false
  switch (`${resource.descriptor.plural}/${subresource}`) {
    case "pods/resize":
    case "services/":
    case "persistentvolumeclaims/":
      return true
    case "pods/":
      // It goes from one scope to another.
      return hasDeadline(object as Pod) !== hasDeadline(old as Pod)
    case "persistentvolumeclaims/status":
      return growthOf(object as PersistentVolumeClaim) !== growthOf(old as PersistentVolumeClaim)
    default:
      return false
  }
}

/** What of a claim's status counts: what it was given, and the class it has. */
function growthOf({ status }: PersistentVolumeClaim): string {
  const { allocatedResources, currentVolumeAttributesClassName, modifyVolumeStatus } = status ?? {}
  return JSON.stringify([
    allocatedResources?.storage,
    currentVolumeAttributesClassName,
    modifyVolumeStatus?.targetVolumeAttributesClassName,
  ])
}
