import type { PersistentVolumeClaim, Pod, Service } from "../generated/core/v1.types.ts"
import type { ResourceClaim } from "../generated/resource/v1.types.ts"
import type { KubeObject } from "../meta/object.ts"
import { isPodTerminal } from "../pods/pod-phase.ts"
import { podLimits, podRequests } from "../pods/pod-resources.ts"
import { type Amount, amountOf, amountScaledValue, compareAmounts } from "../quantity/amount.ts"
import { secondsInMilliseconds } from "../quantity/int64.ts"
import { parseQuantity } from "../quantity/quantity-parse.ts"
import type { ResourceList, Resources } from "../quantity/resource-list.ts"
import { type Descriptor, resourceNameOf } from "../schema/descriptor.ts"
import { parseTime } from "../text/time.ts"
import { devicesOfClass, deviceUsage } from "./device-usage.ts"
import { type ClaimNeighbours, type DeviceClassNames, extendedDeviceUsage, noDeviceClasses, podChargedFor } from "./extended-devices.ts"
import { implicitDevices, isExtendedQuotaName, isExtendedResource } from "./extended-resource.ts"

const classAnnotation = "volume.beta.kubernetes.io/storage-class"

/** A claim and its bytes, for the namespace and for its storage class. */
function claimUsage(claim: PersistentVolumeClaim): Resources {
  const storageClass = claim.metadata.annotations?.[classAnnotation] ?? claim.spec?.storageClassName ?? ""
  const own = new Map<string, Amount>([["persistentvolumeclaims", amountOf(1)]])
  const bytes = storageOf(claim)
  if (bytes !== undefined) own.set("requests.storage", bytes)
  if (storageClass === "") return own
  const ofClass = [...own].map(([name, amount]) => [`${storageClass}.storageclass.storage.k8s.io/${name}`, amount] as const)
  return new Map([...own, ...ofClass])
}

/** What is asked for, or what a volume that grows has been given, if that is more. */
function storageOf({ spec, status }: PersistentVolumeClaim): Amount | undefined {
  const asked = spec?.resources?.requests?.storage
  if (asked === undefined) return undefined
  const allocated = status?.allocatedResources?.storage
  const [wanted, given] = [parseQuantity(asked), allocated === undefined ? undefined : parseQuantity(allocated)]
  return wholeBytes(given !== undefined && compareAmounts(given, wanted) > 0 ? given : wanted)
}

/** A quota of storage is in whole bytes. */
function wholeBytes(amount: Amount): Amount {
  const whole = amountOf(amountScaledValue(amount, 0), { format: amount.format })
  return compareAmounts(whole, amount) === 0 ? amount : whole
}

/** A kind that quotas count. */
export type CountedKind = Pick<Descriptor, "group" | "plural">

/** Counted under their plain name too, from the time before "count/". */
const plainNames: ReadonlySet<string> = new Set(["configmaps", "replicationcontrollers", "resourcequotas", "secrets"])

/** What a claim of devices does not say by itself. */
export interface DeviceFacts extends ClaimNeighbours {
  readonly classes: DeviceClassNames
}

/** The facts of a cluster without devices. */
export const noDeviceFacts: DeviceFacts = { classes: noDeviceClasses, pod: () => undefined, claimsOf: () => [] }

/**
 * Returns what an object uses of its namespace's quotas at a moment (milliseconds): a pod that should be gone by then takes nothing.
 * Only what a claim of devices takes depends on the facts.
 */
export function quotaUsage(kind: CountedKind, object: KubeObject, now: number, facts: DeviceFacts = noDeviceFacts): Resources {
  const counted = new Map<string, Amount>([[countName(kind), one]])
  if (isDeviceClaim(kind)) return new Map([...counted, ...deviceClaimUsage(object as ResourceClaim, now, facts)])
  if (kind.group !== "") return counted
  switch (kind.plural) {
    case "pods":
      return new Map([...counted, ...podUsage(object as Pod, now)])
    case "services":
      return new Map([...counted, ...serviceUsage(object as Service)])
    case "persistentvolumeclaims":
      return new Map([...counted, ...claimUsage(object as PersistentVolumeClaim)])
    default:
      return plainNames.has(kind.plural) ? counted.set(kind.plural, one) : counted
  }
}

function deviceClaimUsage(claim: ResourceClaim, now: number, facts: DeviceFacts): Resources {
  const [devices, pod] = [deviceUsage(claim), podChargedFor(claim, facts)]
  const charged: Resources = pod === undefined ? new Map() : podUsage(pod, now)
  return new Map([...devices, ...extendedDeviceUsage(devices, facts.classes, charged)])
}

/**
 * Returns the names of a quota's limits that a kind of object is counted under. Claims of devices are counted as extended resources where a class stands
 * for them. A quota may have 10,000 names and is asked at every create, so only kinds that are counted under patterns go through them.
 */
export function quotaNamesFor(kind: CountedKind, hard: ResourceList, classes = noDeviceClasses): readonly string[] {
  const counted = countName(kind)
  if (isDeviceClaim(kind)) return Object.keys(hard).filter((name) => name === counted || isNameOfClaim(name, classes))
  const own = kind.group === "" ? ownNames(kind.plural) : []
  if (typeof own !== "function") return [counted, ...own].filter((name) => Object.hasOwn(hard, name))
  const known = matched.get(hard)?.get(counted)
  if (known !== undefined) return known
  const names = Object.keys(hard).filter((name) => name === counted || own(name))
  // Limits that may change are read again.
  if (Object.isFrozen(hard)) matched.set(hard, (matched.get(hard) ?? new Map<string, readonly string[]>()).set(counted, names))
  return names
}

/** By limits, by the name that objects of the kind are counted under. */
const matched = new WeakMap<ResourceList, Map<string, readonly string[]>>()

function isNameOfClaim(name: string, { known }: DeviceClassNames): boolean {
  return name.endsWith(devicesOfClass) || (isExtendedQuotaName(name) && known.has(name.slice("requests.".length)))
}

/** Reports whether the usage of an object depends on device classes and on pods. */
export function isDeviceClaim({ group, plural }: CountedKind): boolean {
  return group === "resource.k8s.io" && plural === "resourceclaims"
}

const one = amountOf(1)

/** "count/deployments.apps", "count/pods". */
function countName(kind: CountedKind): string {
  return `count/${resourceNameOf(kind)}`
}

const compute = ["cpu", "memory", "ephemeral-storage"]
const podNames: ReadonlySet<string> = new Set([
  "pods",
  ...compute,
  ...compute.map((name) => `requests.${name}`),
  ...compute.map((name) => `limits.${name}`),
])

/** The names of a kind without a group, or which names are its own where there is no end of them. */
function ownNames(plural: string): readonly string[] | ((name: string) => boolean) {
  switch (plural) {
    case "pods":
      return (name) => podNames.has(name) || /^(requests\.)?hugepages-/.test(name) || isExtendedQuotaName(name)
    case "services":
      return ["services", "services.nodeports", "services.loadbalancers"]
    case "persistentvolumeclaims":
      return (name) => /(^|\.storageclass\.storage\.k8s\.io\/)(persistentvolumeclaims|requests\.storage)$/.test(name)
    default:
      return plainNames.has(plural) ? [plural] : []
  }
}

/** A service, its node ports and its load balancer. */
function serviceUsage(service: Service): Resources {
  return new Map([
    ["services", amountOf(1)],
    ["services.nodeports", amountOf(nodePorts(service))],
    ["services.loadbalancers", amountOf(service.spec?.type === "LoadBalancer" ? 1 : 0)],
  ])
}

/** By what is meant: when a service is let in, its ports are not given out yet. */
function nodePorts({ spec }: Service): number {
  const ports = spec?.ports ?? []
  if (spec?.type === "NodePort") return ports.length
  if (spec?.type !== "LoadBalancer") return 0
  // A balancer that does without node ports uses those that it asked for.
  const asked = ports.filter(({ nodePort = 0 }) => nodePort !== 0)
  return spec.allocateLoadBalancerNodePorts === false ? asked.length : ports.length
}

/** A pod that is over uses nothing; nor does one that should long be gone: a lost node must not keep a namespace from making new ones. */
function podUsage(pod: Pod, now: number): Resources {
  const used = new Map<string, Amount>()
  if (isPodTerminal(pod) || shouldBeGone(pod, now)) return used
  used.set("pods", amountOf(1))
  for (const [name, amount] of podRequests(pod, { withStatus: true })) {
    const both = compute.includes(name) || name.startsWith("hugepages-")
    if (both) used.set(name, amount)
    if (both || name.startsWith(implicitDevices) || isExtendedResource(name)) used.set(`requests.${name}`, amount)
  }
  for (const [name, amount] of podLimits(pod, { withStatus: true })) if (compute.includes(name)) used.set(`limits.${name}`, amount)
  return used
}

function shouldBeGone({ metadata }: Pod, now: number): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return false
  return now > parseTime(deletionTimestamp) + secondsInMilliseconds(deletionGracePeriodSeconds)
}
