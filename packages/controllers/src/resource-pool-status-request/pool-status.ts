import { formatTime } from "@pilothouse/api"
import type { ResourceClaim, ResourceSlice } from "@pilothouse/api/resource/v1"
import type { PoolStatus, ResourcePoolStatusRequest, ResourcePoolStatusRequestStatus } from "@pilothouse/api/resource/v1alpha3"

export const defaultLimit = 100
const longestError = 256

/**
 * Returns the answer to a request: for each pool of the driver how many devices it has and how many of them are allocated, sorted by name and cut to the
 * limit. Only slices of the newest generation of a pool count. A pool of which slices are missing has an error in place of numbers.
 */
export function poolStatus(
  { spec }: ResourcePoolStatusRequest,
  slices: readonly ResourceSlice[],
  claims: readonly ResourceClaim[],
  now: number,
): ResourcePoolStatusRequestStatus {
  const meant = slices.filter(({ spec: { driver, pool } }) => driver === spec.driver && (spec.poolName ?? pool.name) === pool.name)
  const allocated = allocatedDevices(spec.driver, claims)
  const byPool = Map.groupBy(meant, ({ spec: { pool } }) => pool.name)
  const all = [...byPool]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([poolName, of]) => statusOf({ driver: spec.driver, poolName, slices: newestOf(of), allocated: allocated.get(poolName) ?? 0 }))
  const pools = all.slice(0, spec.limit ?? defaultLimit)
  return {
    poolCount: all.length,
    ...(pools.length > 0 && { pools }),
    conditions: [
      { type: "Complete", status: "True", lastTransitionTime: formatTime(now), reason: "CalculationComplete", message: messageOf(pools) },
    ],
  }
}

/** Returns the pools of an answer that are known in part only. */
export function incompletePools({ pools = [] }: ResourcePoolStatusRequestStatus): readonly PoolStatus[] {
  return pools.filter(({ validationError }) => validationError !== undefined)
}

function messageOf(pools: readonly PoolStatus[]): string {
  const incomplete = incompletePools({ pools, poolCount: pools.length }).length
  return `Calculated status for ${pools.length} pools${incomplete > 0 ? ` (${incomplete} incomplete)` : ""}`
}

/** By the name of the pool. */
function allocatedDevices(driver: string, claims: readonly ResourceClaim[]): ReadonlyMap<string, number> {
  const results = claims.flatMap(({ status }) => status?.allocation?.devices?.results ?? [])
  const own = Map.groupBy(
    results.filter((result) => result.driver === driver),
    ({ pool }) => pool,
  )
  return new Map([...own].map(([pool, of]) => [pool, of.length]))
}

function newestOf(slices: readonly ResourceSlice[]): readonly ResourceSlice[] {
  const newest = slices.reduce((latest, { spec }) => Math.max(latest, Number(spec.pool.generation)), 0)
  return slices.filter(({ spec }) => Number(spec.pool.generation) === newest)
}

interface PoolSlices {
  readonly driver: string
  readonly poolName: string
  /** Of one generation; at least one. */
  readonly slices: readonly ResourceSlice[]
  readonly allocated: number
}

function statusOf({ driver, poolName, slices, allocated }: PoolSlices): PoolStatus {
  const [first] = slices
  const { generation = 0, resourceSliceCount: expected = 0 } = first?.spec.pool ?? {}
  const nodeName = first?.spec.nodeName
  const isOfOneNode = nodeName !== undefined && slices.every(({ spec }) => spec.nodeName === nodeName)
  const pool = { driver, poolName, generation, ...(isOfOneNode && { nodeName }) }
  if (slices.length < Number(expected)) {
    const observed = `observed ${slices.length}/${expected} slices at generation ${generation}`
    return { ...pool, validationError: `pool ${driver}/${poolName} is incomplete: ${observed}`.slice(0, longestError) }
  }
  const total = slices.reduce((sum, { spec }) => sum + (spec.devices?.length ?? 0), 0)
  return {
    ...pool,
    resourceSliceCount: slices.length,
    totalDevices: total,
    allocatedDevices: allocated,
    availableDevices: Math.max(0, total - allocated),
    unavailableDevices: 0,
  }
}
