import { amountMilliValue, isConditionTrue, parseQuantity } from "@pilothouse/api"
import type { Node } from "@pilothouse/api/core/v1"

const zoneLabel = "topology.kubernetes.io/zone"
const controlPlane = ["node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"]

/** What part of the cluster's CPUs each zone has, by zone in order of their names. */
export type ZoneShares = ReadonlyMap<string, number>

/** Undefined when it cannot be known: one ready node without zone or CPU, or a single zone. Nodes that run no ordinary pods do not count. */
export function zoneShares(nodes: readonly Node[]): ZoneShares | undefined {
  const cpus = new Map<string, number>()
  for (const node of nodes.filter(counts)) {
    const zone = node.metadata.labels?.[zoneLabel]
    const cpu = amountMilliValue(parseQuantity(node.status?.allocatable?.cpu ?? "0"))
    if (!zone || cpu === 0) return undefined
    cpus.set(zone, (cpus.get(zone) ?? 0) + cpu)
  }
  if (cpus.size < 2) return undefined
  const total = [...cpus.values()].reduce((sum, cpu) => sum + cpu, 0)
  return new Map([...cpus].sort(([a], [b]) => (a < b ? -1 : 1)).map(([zone, cpu]) => [zone, cpu / total]))
}

function counts({ metadata, status }: Node): boolean {
  return isConditionTrue(status?.conditions, "Ready") && !controlPlane.some((label) => metadata.labels?.[label] !== undefined)
}

/** How many endpoints a zone should have. */
export interface Allocation {
  readonly desired: number
  readonly maximum: number
}

/** An endpoint may get this much more traffic than with even spreading. */
const overload = 0.2

/**
 * Shares out so many endpoints; a text says why that cannot be done.
 * Example: 10 endpoints over 60 % and 40 %: desired 6 and 4; at least ceil(6 / 1.2) = 5 and ceil(4 / 1.2) = 4, so at most 5 + 1 and 4 + 1.
 */
export function allocations(shares: ZoneShares | undefined, endpoints: number): ReadonlyMap<string, Allocation> | string {
  if (shares === undefined) return "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes"
  const counts = `(${endpoints} endpoints, ${shares.size} zones)`
  if (shares.size > endpoints) return `Insufficient number of endpoints ${counts}`
  const least = new Map([...shares].map(([zone, share]) => [zone, Math.ceil(share * endpoints * (1 / (1 + overload)))]))
  const spare = endpoints - [...least.values()].reduce((sum, minimum) => sum + minimum, 0)
  if (spare < 0) return `Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${counts}`
  return new Map([...least].map(([zone, minimum]) => [zone, allocation(minimum, shares.get(zone)! * endpoints, spare)]))
}

function allocation(minimum: number, share: number, spare: number): Allocation {
  return { desired: Math.max(share, minimum), maximum: minimum + spare }
}
