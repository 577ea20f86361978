import { isControlledBy } from "@pilothouse/api"
import { type Pod, pods } from "@pilothouse/api/core/v1"
import {
  type DeviceRequestAllocationResult,
  type DeviceTaint,
  type ResourceSlice,
  resourceClaims,
  resourceSlices,
} from "@pilothouse/api/resource/v1"
import { index, type Reader } from "@pilothouse/runtime"
import { claimNameOf } from "../resource-claim/claims-of-pod.ts"

/** A device of a pod with a NoExecute taint. */
export interface TaintedDevice {
  readonly result: DeviceRequestAllocationResult
  readonly taint: DeviceTaint
}

export interface Observed {
  readonly pod: Pod
  readonly tainted: readonly TaintedDevice[]
}

export const slicesByPool = index(resourceSlices, "pool", (slice) => [poolOf(slice)])

export const claimsByPool = index(resourceClaims, "pool", ({ status }) => [
  ...new Set((status?.allocation?.devices?.results ?? []).map(({ driver, pool }) => `${driver}/${pool}`)),
])

export function poolOf({ spec }: ResourceSlice): string {
  return `${spec.driver}/${spec.pool.name}`
}

/** Reads the NoExecute taints of the devices that the pod has by claims which are reserved for it. */
export function observe(key: string, read: Reader): Observed | undefined {
  const pod = read.get(pods, key)
  if (pod === undefined) return undefined
  return { pod, tainted: devicesOf(pod, read).flatMap((result) => taintsOf(result, read).map((taint) => ({ result, taint }))) }
}

/** Devices of extended resources are not looked at, as upstream. */
function devicesOf(pod: Pod, read: Reader): readonly DeviceRequestAllocationResult[] {
  if (!pod.spec?.nodeName) return []
  return (pod.spec.resourceClaims ?? []).flatMap((entry) => {
    const { name, isGenerated } = claimNameOf(pod, entry)
    const claim = name ? read.get(resourceClaims, `${pod.metadata.namespace}/${name}`) : undefined
    if (claim === undefined || (isGenerated && !isControlledBy(claim, pod))) return []
    const isReserved = claim.status?.reservedFor?.some(({ uid }) => uid === pod.metadata.uid) ?? false
    return isReserved ? (claim.status?.allocation?.devices?.results ?? []) : []
  })
}

/** As the newest generation of its pool has it; a device that is not published any more has none. */
function taintsOf({ driver, pool, device }: DeviceRequestAllocationResult, read: Reader): readonly DeviceTaint[] {
  const slices = read.byIndex(slicesByPool, `${driver}/${pool}`)
  const newest = slices.reduce((highest, { spec }) => Math.max(highest, Number(spec.pool.generation)), 0)
  const found = slices
    .filter(({ spec }) => Number(spec.pool.generation) === newest)
    .flatMap(({ spec }) => (spec.devices ?? []).filter(({ name }) => name === device))
  return found.flatMap(({ taints }) => (taints ?? []).filter(({ effect }) => effect === "NoExecute"))
}
