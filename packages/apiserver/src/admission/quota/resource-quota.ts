import {
  addResources,
  amountSign,
  compareAmounts,
  type DeviceFacts,
  formatQuantity,
  formatResources,
  formatTime,
  hasDeadline,
  isDeviceClaim,
  isInQuotaScopes,
  type KubeObject,
  noDeviceFacts,
  parseResources,
  quotaNamesFor,
  quotaUsage,
  type ResourceList,
  type Resources,
  type StatusError,
  subtractResources,
} from "@pilothouse/api"
import { type PersistentVolumeClaim, type Pod, pods, type ResourceQuota, resourceQuotas } from "@pilothouse/api/core/v1"
import { type ManagerIdentity, ownManager, takenOver } from "../../managedfields/entries.ts"
import { setOfPaths } from "../../managedfields/fieldpath/index.ts"
import { type ManagedFields, managedFieldsOf } from "../../managedfields/object-managed-fields.ts"
import { sharedSet } from "../../managedfields/shared-set.ts"
import { stamped } from "../../objects/stamped.ts"
import { listPrefix, readObject } from "../../registry/object-key.ts"
import type { Stored, Write } from "../../storage/storage.ts"
import { type AdmissionAttributes, type AdmissionPlugin, refusal } from "../plugin.ts"

/** A quota of these counts only if every container says how much it takes. */
const required: Readonly<Record<string, readonly ["requests" | "limits", string]>> = {
  cpu: ["requests", "cpu"],
  memory: ["requests", "memory"],
  "requests.cpu": ["requests", "cpu"],
  "requests.memory": ["requests", "memory"],
  "limits.cpu": ["limits", "cpu"],
  "limits.memory": ["limits", "memory"],
}

/**
 * Refuses what would take more of a namespace than its quotas allow.
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

/** The quota with what the object takes of it; a refusal where that is too much, or cannot be known. */
export function chargeOf(attributes: AdmissionAttributes, stored: Stored, facts: DeviceFacts): readonly Write[] {
  const quota = stored.value as ResourceQuota
  const { resource, subresource } = attributes
  const { used = {}, hard = {} } = quota.status ?? {}
  const names = quotaNamesFor(resource.descriptor, hard, facts.classes)
  const refuse = (why: string): StatusError => refusal(attributes, why)
  const unsaid = resource.descriptor.plural === "pods" ? unsaidAmounts(attributes.object as Pod, names) : undefined
  if (unsaid !== undefined) throw refuse(`failed quota: ${quota.metadata.name}: ${unsaid}`)
  if (!names.every((one) => Object.hasOwn(used, one))) {
    throw refuse(`status unknown for quota: ${quota.metadata.name}, resources: ${[...names].sort().join(",")}`)
  }
  const change = changeOf(attributes, quota, facts, refuse)
  // Filtered by what is limited: a claim counts under the name of a class that does not exist too, once the quota is about claims.
  const asked = new Map([...change].filter(([one, amount]) => Object.hasOwn(hard, one) && amountSign(amount) > 0))
  if (asked.size === 0) return []
  // Only the names that the object takes of are parsed and written again: a quota may have 10,000 others, and every request passes here.
  const [before, limits] = [parseResources(pick(used, asked)), parseResources(pick(hard, asked))]
  const total = addResources(before, asked)
  const over = [...asked.keys()].filter((one) => compareAmounts(total.get(one)!, limits.get(one)!) > 0)
  // A status says what is so: it is counted, and never refused.
  if (over.length > 0 && subresource !== "status") throw refuse(exceeded(quota.metadata.name ?? "", over, [asked, before, limits]))
  const status = { ...quota.status, used: { ...used, ...formatResources(total) } }
  const managedFields = chargedFields(quota, asked, attributes.server.clock.now())
  return [
    {
      key: stored.key,
      expected: stored.revision,
      make: (revision) => stamped({ ...quota, status } as KubeObject, revision, managedFields),
    },
  ]
}

/** As an update of the quota's status by the server: the amounts that it counted are its own. A quota without managedFields stays without. */
function chargedFields(quota: ResourceQuota, asked: Resources, now: number): readonly ManagedFields[] {
  const entries = managedFieldsOf(quota)
  if (entries.length === 0) return entries
  const amounts = sharedSet(setOfPaths([...asked.keys()].map((name) => ["f:status", "f:used", `f:${name}`])))
  return takenOver(entries, countedBy, amounts, formatTime(now))
}

const countedBy: ManagerIdentity = { manager: ownManager, operation: "Update", apiVersion: "v1", subresource: "status" }

function pick(list: ResourceList, names: Resources): ResourceList {
  return Object.fromEntries([...names.keys()].filter((name) => Object.hasOwn(list, name)).map((name) => [name, list[name]!]))
}

/** The difference to the object before; a decrease (below zero) is left to the quota controller. */
function changeOf(
  attributes: AdmissionAttributes,
  quota: ResourceQuota,
  facts: DeviceFacts,
  refuse: (why: string) => StatusError,
): Resources {
  const { server, resource, object, old } = attributes
  const now = server.clock.now()
  const usage = quotaUsage(resource.descriptor, object as KubeObject, now, facts)
  const negative = [...usage].filter(([, amount]) => amountSign(amount) < 0).map(([name]) => name)
  if (negative.length > 0) throw refuse(`quota usage is negative for resource(s): ${negative.sort().join(",")}`)
  const counted = old !== undefined && isInQuotaScopes(quota, resource.descriptor, old)
  return counted ? subtractResources(usage, quotaUsage(resource.descriptor, old, now, facts)) : usage
}

function exceeded(quota: string, names: readonly string[], [asked, used, limits]: readonly [Resources, Resources, Resources]): string {
  const shown = (amounts: Resources) =>
    names
      .filter((name) => amounts.has(name))
      .sort()
      .map((name) => `${name}=${formatQuantity(amounts.get(name)!)}`)
      .join(",")
  return `exceeded quota: ${quota}, requested: ${shown(asked)}, used: ${shown(used)}, limited: ${shown(limits)}`
}

/** What containers have to say and do not: "must specify limits.cpu for: a,b; requests.memory for: a". */
function unsaidAmounts({ spec }: Pod, hard: readonly string[]): string | undefined {
  // Resources of the pod as a whole stand for those of its containers.
  if (Object.keys({ ...spec?.resources?.requests, ...spec?.resources?.limits }).length > 0) return undefined
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])]
  const texts = [...hard].sort().flatMap((name) => {
    const [kind, resource] = Object.hasOwn(required, name) ? (required[name] ?? []) : []
    if (kind === undefined || resource === undefined) return []
    const silent = containers.filter(({ resources }) => resources?.[kind]?.[resource] === undefined).map((one) => one.name)
    return silent.length === 0 ? [] : [`${name} for: ${[...new Set(silent)].sort().join(",")}`]
  })
  return texts.length === 0 ? undefined : `must specify ${texts.join("; ")}`
}
