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

/**
 * Device classes are not counted, but they determine the names under which device claims count. They are discovered, because a server may lack them.
 */
export function isDeviceClasses({ group, plural }: Pick<Descriptor, "group" | "plural">): boolean {
  return group === "resource.k8s.io" && plural === "deviceclasses"
}

/** Reports whether more than the number of objects counts. */
export function needsFullObjects(of: Descriptor): boolean {
  return isDeviceClaim(of) || isDeviceClasses(of)
}

/** Returns undefined when the server has no such resource. */
export function discoveredDeviceClasses(read: Reader): DynamicKind | undefined {
  return read.kinds().find(({ of }) => isDeviceClasses(of))
}

/** Returns the classes by which a resource is counted: none except for device claims. */
export function classesFor(of: Descriptor, read: Reader): DeviceClassNames {
  const found = isDeviceClaim(of) ? discoveredDeviceClasses(read) : undefined
  return found === undefined ? noDeviceClasses : deviceClassNames(read.list(found.of as Descriptor<DeviceClass>))
}

/** Returns what the claims of a namespace do not contain: their classes, their pods, and which of them belong to the same pod. */
export function readDeviceFacts(claims: readonly KubeObject[], classes: DeviceClassNames, read: Reader): DeviceFacts {
  const made = Map.groupBy(claims as readonly ResourceClaim[], (claim) => extendedClaimPod(claim)?.uid)
  const owned = claims.flatMap((claim) => extendedClaimPod(claim as ResourceClaim)?.name ?? [])
  const namespace = claims[0]?.metadata.namespace
  const found = new Map([...new Set(owned)].map((name) => [name, read.get(pods, `${namespace}/${name}`)]))
  return { classes, pod: (_namespace, name) => found.get(name), claimsOf: (_namespace, uid) => made.get(uid) ?? [] }
}
