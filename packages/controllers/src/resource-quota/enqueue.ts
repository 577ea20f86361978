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
  resourceNameOf,
} from "@pilothouse/api"
import { type PersistentVolumeClaim, type Pod, type ResourceQuota, resourceQuotas, type Service } from "@pilothouse/api/core/v1"
import type { DeviceClass } from "@pilothouse/api/resource/v1"
import { type Change, type Reader, type Watch, watch } from "@pilothouse/runtime"
import { classesFor, isDeviceClasses } from "./devices.ts"
import { isCounted } from "./observe.ts"

/** Its status is written by us, and by the API server for everything that it lets in: none of that is news. */
export function isForUs(change: Change): boolean {
  if (change.type !== "updated") return change.type !== "deleted"
  return !deepEqual((change.old as ResourceQuota).spec, (change.object as ResourceQuota).spec)
}

/** The API server has counted what is new when it let it in: soon is soon enough to see whether that is right, once for many. */
const afterNew = "1s"

/** Ten pods of a ReplicaSet that go together are given back in one write. */
const afterChange = "100ms"

export function watchesOf(of: Descriptor): readonly Watch[] {
  if (isDeviceClasses(of))
    return [watch(of, "a device class stands for something else", quotasOfDevices, { predicate: isRenamed, delay: afterNew })]
  const keys = (object: KubeObject, read: Reader) => quotasOver(of, object, read)
  return [
    watch(of, `a ${of.kind} is gone or uses more or less`, keys, { predicate: (change) => givesBack(of, change), delay: afterChange }),
    watch(of, `a ${of.kind} is new`, keys, { predicate: ({ type }) => type === "added", delay: afterNew }),
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
  const isLimited = () => quotaNamesFor(of, Object.keys(quota.spec?.hard ?? {}), classesFor(of, read)).length > 0
  // Their names depend on the classes that there are now.
  if (isDeviceClaim(of)) return isLimited()
  const known = limited.get(quota) ?? new Map<string, boolean>()
  limited.set(quota, known)
  const name = resourceNameOf(of)
  const found = known.get(name) ?? isLimited()
  known.set(name, found)
  return found
}

/** Claims are counted under other names then; upstream sees it when everything is counted again. */
function quotasOfDevices(_class: KubeObject, read: Reader): readonly string[] {
  return read
    .list(resourceQuotas)
    .filter(({ spec }) => Object.keys(spec?.hard ?? {}).some(isExtendedQuotaName))
    .map(keyOf)
}

function isRenamed(change: Change): boolean {
  if (change.type !== "updated") return true
  return (change.old as DeviceClass).spec.extendedResourceName !== (change.object as DeviceClass).spec.extendedResourceName
}

/** Most updates change nothing that is counted. */
function givesBack({ group, plural }: Descriptor, change: Change): boolean {
  if (change.type !== "updated") return change.type === "deleted"
  if (group !== "") return false
  switch (plural) {
    case "pods":
      return isCountedAnew(change.old as Pod, change.object as Pod)
    case "services":
      return !deepEqual(portsOf(change.old as Service), portsOf(change.object as Service))
    case "persistentvolumeclaims":
      return !deepEqual(sizeOf(change.old as PersistentVolumeClaim), sizeOf(change.object as PersistentVolumeClaim))
    default:
      return false
  }
}

function isCountedAnew(old: Pod, now: Pod): boolean {
  return (
    isPodTerminal(old) !== isPodTerminal(now) || hasDeadline(old) !== hasDeadline(now) || !deepEqual(resourcesOf(old), resourcesOf(now))
  )
}

/** What was asked for, and what a resize has been given. */
function resourcesOf({ spec, status }: Pod): readonly unknown[] {
  const asked = [spec?.resources, ...[...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map(({ resources }) => resources)]
  const given = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])].map(({ name, resources }) => [
    name,
    resources,
  ])
  return [...asked, ...given]
}

function portsOf({ spec }: Service): readonly unknown[] {
  return [spec?.type, spec?.ports?.map(({ nodePort = 0 }) => nodePort), spec?.allocateLoadBalancerNodePorts]
}

function sizeOf({ spec, status }: PersistentVolumeClaim): readonly unknown[] {
  const target = status?.modifyVolumeStatus?.targetVolumeAttributesClassName
  const classes = [spec?.volumeAttributesClassName, status?.currentVolumeAttributesClassName, target]
  return [spec?.resources?.requests?.storage, status?.allocatedResources?.storage, ...classes]
}

/** Before everything that is only counted again. */
const first = 100

/**
 * A quota whose status does not have its limits, or lacks the usage of one that can be counted, lets nobody make anything:
 * it does not wait behind those that are counted again.
 */
export function priorityOf(key: string, read: Reader): number | undefined {
  const quota = read.get(resourceQuotas, key)
  return quota !== undefined && lacksUsage(quota, read) ? first : undefined
}

function lacksUsage({ spec, status }: ResourceQuota, read: Reader): boolean {
  const hard = spec?.hard ?? {}
  if (!deepEqual(hard, status?.hard ?? {})) return true
  const missing = Object.keys(hard).filter((name) => status?.used?.[name] === undefined)
  return missing.length > 0 && read.kinds().some(({ of }) => isCounted(of) && quotaNamesFor(of, missing, classesFor(of, read)).length > 0)
}
