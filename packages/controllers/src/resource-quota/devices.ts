import {
  type Descriptor,
  type DeviceClassNames,
  type DeviceFacts,
  deviceClassNames,
  extendedClaimPod,
  isDeviceClaim,
  type KubeObject,
  noDeviceClasses,
} from "@pilothouse/api"
import { pods } from "@pilothouse/api/core/v1"
import type { DeviceClass, ResourceClaim } from "@pilothouse/api/resource/v1"
import type { DynamicKind, Reader } from "@pilothouse/runtime"

/** Not counted, but what claims of devices are counted under depends on them. A server may have none of this: they are discovered. */
export function isDeviceClasses({ group, plural }: Pick<Descriptor, "group" | "plural">): boolean {
  return group === "resource.k8s.io" && plural === "deviceclasses"
}

/** Of these more is asked than how many there are. */
export function isReadWhole(of: Descriptor): boolean {
  return isDeviceClaim(of) || isDeviceClasses(of)
}

/** Undefined: the server has no such resource. */
export function deviceClassesIn(read: Reader): DynamicKind | undefined {
  return read.kinds().find(({ of }) => isDeviceClasses(of))
}

/** The classes by which a resource is counted: none for all but claims of devices. */
export function classesFor(of: Descriptor, read: Reader): DeviceClassNames {
  const found = isDeviceClaim(of) ? deviceClassesIn(read) : undefined
  return found === undefined ? noDeviceClasses : deviceClassNames(read.list(found.of as Descriptor<DeviceClass>))
}

/** What the claims of a namespace do not say by themselves: their classes, their pods, and which of them belong to the same pod. */
export function deviceFactsOf(claims: readonly KubeObject[], classes: DeviceClassNames, read: Reader): DeviceFacts {
  const made = Map.groupBy(claims as readonly ResourceClaim[], (claim) => extendedClaimPod(claim)?.uid)
  const owned = claims.flatMap((claim) => extendedClaimPod(claim as ResourceClaim)?.name ?? [])
  const namespace = claims[0]?.metadata.namespace
  const found = new Map([...new Set(owned)].map((name) => [name, read.get(pods, `${namespace}/${name}`)]))
  return { classes, pod: (_namespace, name) => found.get(name), claimsOf: (_namespace, uid) => made.get(uid) ?? [] }
}
