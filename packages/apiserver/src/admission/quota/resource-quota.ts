import { type DeviceFacts, isInQuotaScopes, type KubeObject, quotaNamesFor } from "@pilothouse/api"
import { type ResourceQuota, resourceQuotas } from "@pilothouse/api/core/v1"
import { listPrefix } from "../../objects/key.ts"
import type { Stored } from "../../storage/storage.ts"
import type { AdmissionAttributes, AdmissionPlugin } from "../plugin.ts"
import { chargeOf } from "./charge.ts"
import { isCounted } from "./counted.ts"
import { deviceFactsFor } from "./device-facts.ts"

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
