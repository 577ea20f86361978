import {
  type Descriptor,
  deepEqual,
  hasDeadline,
  isDeviceClaim,
  isExtendedQuotaName,
  isPodTerminal,
  type KubeObject,
  keyOf,
  quotaNamesFor,
  type ResourceList,
  resourceNameOf,
} from "@pilothouse/api"
import { type PersistentVolumeClaim, type Pod, type ResourceQuota, resourceQuotas, type Service } from "@pilothouse/api/core/v1"
import type { DeviceClass } from "@pilothouse/api/resource/v1"
import { type Change, type Reader, type Watch, watch } from "@pilothouse/runtime"
import { classesFor, isDeviceClasses } from "./devices.ts"
import { isCounted, isDefinitions } from "./observe.ts"

/** Reports whether the spec changed. Status writes, by this controller or by the API server at admission, are ignored. */
export function isSpecChange(change: Change): boolean {
  if (change.type !== "updated") return change.type !== "deleted"
  return !deepEqual((change.old as ResourceQuota).spec, (change.object as ResourceQuota).spec)
}

/** The API server has counted new objects at admission; the check can wait and cover many at once. */
const createdDelay = "1s"

/** Pods of a ReplicaSet that are deleted together are subtracted in one write. */
const changedDelay = "100ms"

/** Returns the watches that enqueue quotas when objects of a kind change what they use. */
export function usageWatches(of: Descriptor): readonly Watch[] {
  if (isDeviceClasses(of))
    return [watch(of, "a device class has another extended resource", quotasOfDevices, { predicate: isRenamed, delay: createdDelay })]
  if (isDefinitions(of)) return [watch(of, "a custom kind is new or has gone", quotasOfKind, { delay: createdDelay })]
  const keys = (object: KubeObject, read: Reader) => quotasOver(of, object, read)
  return [
    watch(of, `a ${of.kind} is gone or uses more or less`, keys, { predicate: (change) => changesUsage(of, change), delay: changedDelay }),
    watch(of, `a ${of.kind} is new`, keys, { predicate: ({ type }) => type === "added", delay: createdDelay }),
  ]
}

function quotasOver(of: Descriptor, { metadata }: KubeObject, read: Reader): readonly string[] {
  return read
    .list(resourceQuotas, metadata.namespace)
    .filter((quota) => limits(quota, of, read))
    .map(keyOf)
}

/** By quota as it stands in the cache, by resource: each object that comes and goes asks, and a quota may have 10,000 names. */
const limited = new WeakMap<ResourceQuota, Map<string, boolean>>()

function limits(quota: ResourceQuota, of: Descriptor, read: Reader): boolean {
  const isLimited = () => quotaNamesFor(of, quota.spec?.hard ?? {}, classesFor(of, read)).length > 0
  // Their names depend on the classes that there are now.
  if (isDeviceClaim(of)) return isLimited()
  const known = limited.get(quota) ?? new Map<string, boolean>()
  limited.set(quota, known)
  const name = resourceNameOf(of)
  const found = known.get(name) ?? isLimited()
  known.set(name, found)
  return found
}

/** A renamed class changes the names under which claims count; upstream notices it with the next periodic recount. */
function quotasOfDevices(_class: KubeObject, read: Reader): readonly string[] {
  return read
    .list(resourceQuotas)
    .filter(({ spec }) => Object.keys(spec?.hard ?? {}).some(isExtendedQuotaName))
    .map(keyOf)
}

/** The name of a definition is that of its resource: a quota that has it cannot admit anything before the kind is counted. */
function quotasOfKind({ metadata }: KubeObject, read: Reader): readonly string[] {
  return read
    .list(resourceQuotas)
    .filter(({ spec }) => Object.hasOwn(spec?.hard ?? {}, `count/${metadata.name}`))
    .map(keyOf)
}

function isRenamed(change: Change): boolean {
  if (change.type !== "updated") return true
  return (change.old as DeviceClass).spec.extendedResourceName !== (change.object as DeviceClass).spec.extendedResourceName
}

/** Reports whether a change affects the usage; most updates do not. */
function changesUsage({ group, plural }: Descriptor, change: Change): boolean {
  if (change.type !== "updated") return change.type === "deleted"
  if (group !== "") return false
  switch (plural) {
    case "pods":
      return changesPodUsage(change.old as Pod, change.object as Pod)
    case "services":
      return !deepEqual(countedPorts(change.old as Service), countedPorts(change.object as Service))
    case "persistentvolumeclaims":
      return !deepEqual(countedStorage(change.old as PersistentVolumeClaim), countedStorage(change.object as PersistentVolumeClaim))
    default:
      return false
  }
}

function changesPodUsage(old: Pod, now: Pod): boolean {
  return (
    isPodTerminal(old) !== isPodTerminal(now) || hasDeadline(old) !== hasDeadline(now) || !deepEqual(podResources(old), podResources(now))
  )
}

/** Returns the requested resources and those that a resize has allocated. */
function podResources({ spec, status }: Pod): readonly unknown[] {
  const asked = [spec?.resources, ...[...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map(({ resources }) => resources)]
  const given = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].map(({ name, resources }) => [
    name,
    resources,
  ])
  return [...asked, ...given]
}

function countedPorts({ spec }: Service): readonly unknown[] {
  return [spec?.type, spec?.ports?.map(({ nodePort = 0 }) => nodePort), spec?.allocateLoadBalancerNodePorts]
}

function countedStorage({ spec, status }: PersistentVolumeClaim): readonly unknown[] {
  const target = status?.modifyVolumeStatus?.targetVolumeAttributesClassName
  const classes = [spec?.volumeAttributesClassName, status?.currentVolumeAttributesClassName, target]
  return [spec?.resources?.requests?.storage, status?.allocatedResources?.storage, ...classes]
}

/** The priority of quotas without a complete status. */
const first = 100

/**
 * A quota whose status lacks its limits, or the usage of a countable one, blocks all creates:
 * it is reconciled before periodic recounts.
 */
export function quotaPriority(key: string, read: Reader): number | undefined {
  const quota = read.get(resourceQuotas, key)
  return quota !== undefined && lacksUsage(quota, read) ? first : undefined
}

/** The limits of a status by those of the spec that they were compared with: they are the same objects after a change of the usage. */
const sameLimits = new WeakMap<ResourceList, ResourceList>()

function hasLimitsOfSpec({ spec: { hard = {} } = {}, status }: ResourceQuota): boolean {
  const reported = status?.hard ?? {}
  if (sameLimits.get(hard) === reported) return true
  const isSame = deepEqual(hard, reported)
  if (isSame) sameLimits.set(hard, reported)
  return isSame
}

/** Only names that some resource is counted under are looked up: each event of the namespace asks, and a quota may have 10,000 others. */
function lacksUsage(quota: ResourceQuota, read: Reader): boolean {
  if (!hasLimitsOfSpec(quota)) return true
  const { spec, status } = quota
  const isUnreported = (name: string) => status?.used?.[name] === undefined
  return read.kinds().some(({ of }) => isCounted(of) && quotaNamesFor(of, spec?.hard ?? {}, classesFor(of, read)).some(isUnreported))
}
