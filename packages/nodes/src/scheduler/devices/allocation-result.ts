import { deepEqual } from "@pilothouse/api"
import type { Node, NodeSelector } from "@pilothouse/api/core/v1"
import type {
  AllocationResult,
  DeviceAllocationConfiguration,
  DeviceRequestAllocationResult,
  ResourceClaim,
} from "@pilothouse/api/resource/v1"
import { type Capacities, writtenCapacities } from "./capacity.ts"
import type { PoolDevice } from "./pools.ts"
import type { Alternative } from "./requests.ts"

/** A device that was taken for a request. */
export interface Chosen {
  readonly alternative: Alternative
  readonly device: PoolDevice
  /** Of a device that several may have. */
  readonly share?: { readonly id: string; readonly capacities: Capacities }
}

/** Returns the allocation that the status of a claim shows. */
export function allocationResult(claim: ResourceClaim, chosen: readonly Chosen[], node: Node): AllocationResult {
  const config = configurations(claim, chosen)
  const nodeSelector = nodeSelectorOf(chosen, node)
  return {
    devices: { results: chosen.map(resultOf), ...(config.length > 0 && { config }) },
    ...(nodeSelector !== undefined && { nodeSelector }),
  }
}

function resultOf({ alternative, device: { device, slice }, share }: Chosen): DeviceRequestAllocationResult {
  const { bindingConditions = [], bindingFailureConditions = [] } = device
  const { isAdmin, tolerations = [] } = alternative
  return {
    request: alternative.name,
    driver: slice.spec.driver,
    pool: slice.spec.pool.name,
    device: device.name,
    ...(isAdmin && { adminAccess: true }),
    ...(tolerations.length > 0 && { tolerations }),
    ...(bindingConditions.length > 0 && { bindingConditions }),
    ...(bindingFailureConditions.length > 0 && { bindingFailureConditions }),
    ...(share !== undefined && { shareID: share.id }),
    ...(share !== undefined && share.capacities.size > 0 && { consumedCapacity: writtenCapacities(share.capacities) }),
  }
}

/** Those of classes first, each once with the requests that it is for; then those of the claim that concern a request or the alternative that was taken. */
function configurations({ spec }: ResourceClaim, chosen: readonly Chosen[]): readonly DeviceAllocationConfiguration[] {
  const taken = [...new Set(chosen.map(({ alternative }) => alternative))]
  const classes = new Map(taken.map(({ deviceClass }) => [deviceClass.metadata.name, deviceClass]))
  const ofClasses = [...classes].flatMap(
    ([
      name,
      {
        spec: { config = [] },
      },
    ]) => {
      const requests = taken.filter(({ deviceClass }) => deviceClass.metadata.name === name).map((one) => one.name)
      return config.map((one): DeviceAllocationConfiguration => ({ source: "FromClass", requests, ...one }))
    },
  )
  const names = new Set(taken.flatMap(({ name, request }) => [name, request]))
  const ofClaim = (spec.devices?.config ?? []).filter(
    ({ requests = [] }) => requests.length === 0 || requests.some((one) => names.has(one)),
  )
  return [...ofClasses, ...ofClaim.map((one): DeviceAllocationConfiguration => ({ source: "FromClaim", ...one }))]
}

/** The one node where a device is local to it, else what the selectors of all devices ask for; undefined: they can be had everywhere. */
function nodeSelectorOf(chosen: readonly Chosen[], { metadata: { name = "" } }: Node): NodeSelector | undefined {
  const places = chosen.map(({ device: { device, slice } }) => (slice.spec.perDeviceNodeSelection ? device : slice.spec))
  if (places.some(({ nodeName }) => nodeName) || chosen.some(({ device }) => device.device.bindsToNode))
    return { nodeSelectorTerms: [{ matchFields: [{ key: "metadata.name", operator: "In", values: [name] }] }] }
  const terms = places.flatMap(({ nodeSelector }) => nodeSelector?.nodeSelectorTerms[0] ?? [])
  const matchFields = unique(terms.flatMap((term) => term.matchFields ?? []))
  const matchExpressions = unique(terms.flatMap((term) => term.matchExpressions ?? []))
  if (matchFields.length + matchExpressions.length === 0) return undefined
  return {
    nodeSelectorTerms: [{ ...(matchFields.length > 0 && { matchFields }), ...(matchExpressions.length > 0 && { matchExpressions }) }],
  }
}

function unique<T>(items: readonly T[]): readonly T[] {
  return items.filter((item, at) => items.findIndex((other) => deepEqual(other, item)) === at)
}
