import { matchesNodeSelector } from "@pilothouse/api"
import type { Node, NodeSelector } from "@pilothouse/api/core/v1"
import type { CounterSet, Device, ResourceSlice } from "@pilothouse/api/resource/v1"

/** A device of a pool, and the slice that has it. */
export interface PoolDevice {
  /** "driver/pool/device" */
  readonly id: string
  readonly device: Device
  readonly slice: ResourceSlice
  readonly pool: Pool
}

/** The devices of a pool that a node can reach. */
export interface Pool {
  /** "driver/pool" */
  readonly id: string
  readonly devices: readonly PoolDevice[]
  /** All of its devices, those of other nodes too: they draw on the same counters. */
  readonly everyDevice: readonly Pick<PoolDevice, "id" | "device">[]
  readonly counterSets: readonly CounterSet[]
  /** Why none of them is allocated now: its slices are being replaced, or contradict each other. */
  readonly unusable?: "incomplete" | "invalid"
}

/** Returns the identity of a device among all devices. */
export function deviceId({ driver, pool, device }: { readonly driver: string; readonly pool: string; readonly device: string }): string {
  return `${driver}/${pool}/${device}`
}

/** Slices by pool, the newest generation of each only: read once for all nodes. */
export function newestSlices(slices: readonly ResourceSlice[]): ReadonlyMap<string, readonly ResourceSlice[]> {
  const pools = new Map<string, ResourceSlice[]>()
  for (const slice of slices) {
    const { driver, pool } = slice.spec
    const id = `${driver}/${pool.name}`
    const known = pools.get(id)
    const newest = Number(known?.[0]?.spec.pool.generation ?? -1)
    const generation = Number(pool.generation ?? 0)
    if (known === undefined || generation > newest) pools.set(id, [slice])
    else if (generation === newest) known.push(slice)
  }
  for (const found of pools.values()) found.sort(byName)
  return pools
}

function byName(one: ResourceSlice, other: ResourceSlice): number {
  return (one.metadata.name ?? "") < (other.metadata.name ?? "") ? -1 : 1
}

/** The pools with devices for the node, by driver and name, those whose devices have binding conditions behind the others. */
export function poolsFor(node: Node, pools: ReadonlyMap<string, readonly ResourceSlice[]>): readonly Pool[] {
  const found = [...pools].flatMap(([id, slices]) => poolFor(id, node, slices) ?? [])
  const binds = ({ devices }: Pool) => devices.some(({ device }) => (device.bindingConditions ?? []).length > 0)
  return found.sort((one, other) => Number(binds(one)) - Number(binds(other)) || (one.id < other.id ? -1 : 1))
}

function poolFor(id: string, node: Node, slices: readonly ResourceSlice[]): Pool | undefined {
  const reachable = slices.filter((slice) => isForNode(slice, node))
  if (!reachable.some(({ spec }) => (spec.sharedCounters ?? []).length === 0)) return undefined
  if (slices.length !== Number(slices[0]!.spec.pool.resourceSliceCount))
    return { id, devices: [], everyDevice: [], counterSets: [], unusable: "incomplete" }
  const everyDevice = slices.flatMap((slice) => (slice.spec.devices ?? []).map((device) => ({ id: `${id}/${device.name}`, device })))
  const counterSets = slices.flatMap(({ spec }) => spec.sharedCounters ?? [])
  if (isContradictory(everyDevice, counterSets)) return { id, devices: [], everyDevice: [], counterSets: [], unusable: "invalid" }
  const devices: PoolDevice[] = []
  const pool: Pool = { id, devices, everyDevice, counterSets }
  for (const slice of reachable)
    for (const device of slice.spec.devices ?? [])
      if (!slice.spec.perDeviceNodeSelection || isReachable(node, device)) devices.push({ id: `${id}/${device.name}`, device, slice, pool })
  return pool
}

/** Two devices of one name, or one that draws on a counter which is not there. */
function isContradictory(devices: Pool["everyDevice"], counterSets: readonly CounterSet[]): boolean {
  if (new Set(devices.map(({ id }) => id)).size < devices.length) return true
  const known = new Map(counterSets.map(({ name, counters }) => [name, counters]))
  return devices.some(({ device }) =>
    (device.consumesCounters ?? []).some(({ counterSet, counters }) =>
      Object.keys(counters).some((name) => known.get(counterSet)?.[name] === undefined),
    ),
  )
}

function isForNode({ spec }: ResourceSlice, node: Node): boolean {
  if ((spec.sharedCounters ?? []).length > 0) return true
  if (spec.perDeviceNodeSelection) return (spec.devices ?? []).some((device) => isReachable(node, device))
  return isReachable(node, spec)
}

interface Reach {
  readonly nodeName?: string
  readonly allNodes?: boolean
  readonly nodeSelector?: NodeSelector
}

function isReachable(node: Node, { nodeName, allNodes, nodeSelector }: Reach): boolean {
  if (nodeName) return nodeName === node.metadata.name
  return allNodes === true || (nodeSelector !== undefined && matchesSelector(nodeSelector, node))
}

/** One that cannot be read matches nothing. */
export function matchesSelector(selector: NodeSelector, node: Node): boolean {
  try {
    return matchesNodeSelector(selector, node)
  } catch {
    return false
  }
}
