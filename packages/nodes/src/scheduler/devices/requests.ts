import type { DeviceClass, DeviceRequest, DeviceSelector, DeviceToleration, ResourceClaim } from "@pilothouse/api/resource/v1"

/** One way to satisfy a request: the request itself, or one of its alternatives. */
export interface Alternative {
  /** "gpu", or "gpu/large" of an alternative. */
  readonly name: string
  /** The name of the request: constraints and configurations may name either. */
  readonly request: string
  readonly deviceClass: DeviceClass
  readonly selectors: readonly DeviceSelector[]
  readonly tolerations: readonly DeviceToleration[] | undefined
  readonly isAdmin: boolean
  /** How many devices; undefined: all that match. */
  readonly count: number | undefined
  readonly capacity: Readonly<Record<string, string>>
}

/** A claim or class that cannot be served as it is: the pod is not scheduled before one of them changes. */
export class DeviceError extends Error {
  override readonly name = "DeviceError"
}

/** What is asked for, class by class: the same fields in a request and in an alternative of one. */
type Asked = NonNullable<DeviceRequest["exactly"]>

/** The alternatives of each request of a claim, in their order. Throws where a class is missing or a selector is of no known type. */
export function alternativesOf(
  claim: ResourceClaim,
  classOf: (name: string) => DeviceClass | undefined,
): readonly (readonly Alternative[])[] {
  return (claim.spec.devices?.requests ?? []).map((request) => {
    const { name, exactly, firstAvailable = [] } = request
    if (exactly !== undefined) return [alternative(claim, name, name, exactly, classOf)]
    if (firstAvailable.length > 0) return firstAvailable.map((sub) => alternative(claim, name, `${name}/${sub.name}`, sub, classOf))
    throw new DeviceError(`resource claim ${keyOf(claim)}, request ${name}: unknown request type`)
  })
}

function alternative(
  claim: ResourceClaim,
  request: string,
  name: string,
  asked: Asked,
  classOf: (name: string) => DeviceClass | undefined,
): Alternative {
  const { deviceClassName, selectors = [], tolerations, adminAccess = false, allocationMode = "ExactCount", count = 1, capacity } = asked
  const deviceClass = classOf(deviceClassName)
  if (deviceClass === undefined) throw new DeviceError(`request ${name}: device class ${deviceClassName} does not exist`)
  const unknown = selectors.findIndex(({ cel }) => cel === undefined)
  if (unknown >= 0)
    throw new DeviceError(`claim ${keyOf(claim)}, request ${name}, selector #${unknown}: CEL expression empty (unsupported selector type?)`)
  return {
    name,
    request,
    deviceClass,
    selectors,
    tolerations,
    isAdmin: adminAccess,
    count: allocationMode === "All" ? undefined : Number(count),
    capacity: capacity?.requests ?? {},
  }
}

/** The key of a claim as upstream's messages have it. */
export function keyOf({ metadata: { namespace, name } }: ResourceClaim): string {
  return `${namespace}/${name}`
}
