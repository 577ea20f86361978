import {
  type DeviceFacts,
  hasDeadline,
  isDeviceClaim,
  isInQuotaScopes,
  type KubeObject,
  noDeviceFacts,
  quotaNamesFor,
} from "@pilothouse/api"
import { type PersistentVolumeClaim, type Pod, pods, type ResourceQuota, resourceQuotas } from "@pilothouse/api/core/v1"
import { listPrefix, readObject } from "../../registry/object-key.ts"
import type { Stored } from "../../storage/storage.ts"
import type { AdmissionAttributes, AdmissionPlugin } from "../plugin.ts"
import { chargeOf } from "./charge.ts"

/**
 * The objects of a namespace never take more than its quotas allow.
 * What an object takes is written to the quotas in the same commit as the object, so that of two requests for the last of something one is refused.
 * The quota controller recounts what is really there, and subtracts what a deleted object had.
 */
export const resourceQuota: AdmissionPlugin = {
  name: "ResourceQuota",
  countsAgainstQuota: (attributes) => isCounted(attributes) && quotasFor(attributes).length > 0,
  reserveQuota(attributes) {
    const quotas = isCounted(attributes) ? quotasFor(attributes) : []
    if (quotas.length === 0) return []
    const facts = deviceFactsFor(attributes)
    return quotas.filter((stored) => concerns(attributes, stored, facts)).flatMap((stored) => chargeOf(attributes, stored, facts))
  },
}

function quotasFor({ server, namespace, object }: AdmissionAttributes): readonly Stored[] {
  if (namespace === undefined || object === undefined) return []
  const { storage, registry } = server
  return storage.list(listPrefix(registry.of(resourceQuotas), namespace)).items
}

/** What a quota allows is in its status: one that the controller has not seen yet is none. */
function concerns({ resource, object }: AdmissionAttributes, stored: Stored, { classes }: DeviceFacts): boolean {
  const quota = stored.value as ResourceQuota
  const names = quotaNamesFor(resource.descriptor, quota.status?.hard ?? {}, classes)
  return names.length > 0 && isInQuotaScopes(quota, resource.descriptor, object as KubeObject)
}

/** Whether a write can take more of a quota: everything is counted when it is made, a few kinds also when they change. */
function isCounted({ operation, resource, subresource, object, old }: AdmissionAttributes): boolean {
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

/** What a quota has to know beyond the object: only of claims of devices it is anything. */
function deviceFactsFor({ server, resource }: AdmissionAttributes): DeviceFacts {
  if (!isDeviceClaim(resource.descriptor)) return noDeviceFacts
  const { storage, registry, devices } = server
  return {
    classes: devices.classes,
    pod: (namespace, name) => readObject(storage, registry.of(pods), namespace, name),
    claimsOf: (namespace, uid) => devices.claimsOf(namespace, uid),
  }
}
