import { amountMilliValue, isConditionTrue, parseQuantity } from "@pilothouse/api"
import type { Node, Service } from "@pilothouse/api/core/v1"
import type { Endpoint, EndpointHints, EndpointSlice } from "@pilothouse/api/discovery/v1"
import type { Family } from "../service-endpoints/addresses.ts"
import { type SliceChanges, withEndpoints, withHints } from "./changes.ts"
import type { Observed } from "./observe.ts"

const zoneLabel = "topology.kubernetes.io/zone"
const controlPlane = ["node-role.kubernetes.io/control-plane", "node-role.kubernetes.io/master"]

/** Upstream's overloadThreshold: an endpoint may get this much more traffic than with even spreading. */
const overload = 0.2

const distributions: ReadonlySet<string> = new Set(["PreferClose", "PreferSameZone", "PreferSameNode"])

/** Reports whether spec.trafficDistribution says where traffic should stay; an unknown value says nothing. */
export function distributesTraffic({ spec }: Service): boolean {
  return distributions.has(spec?.trafficDistribution ?? "")
}

/** Each ready endpoint serves its own zone, and with PreferSameNode its own node. */
export function hintNearby(changes: SliceChanges, { spec }: Service): SliceChanges {
  const nodesToo = spec?.trafficDistribution === "PreferSameNode"
  return withEndpoints(changes, (endpoint) => {
    // No traffic is sent to an endpoint that is not ready: its hints are not worth a write.
    return endpoint.conditions?.ready === true ? withHints(endpoint, nearby(endpoint, nodesToo)) : endpoint
  })
}

export function withoutHints(changes: SliceChanges): SliceChanges {
  return withEndpoints(changes, (endpoint) => withHints(endpoint, undefined))
}

function nearby({ zone, nodeName }: Endpoint, nodesToo: boolean): EndpointHints | undefined {
  const forZones = zone === undefined ? {} : { forZones: [{ name: zone }] }
  const forNodes = nodesToo && nodeName !== undefined ? { forNodes: [{ name: nodeName }] } : {}
  const hints = { ...forZones, ...forNodes }
  return Object.keys(hints).length === 0 ? undefined : hints
}

const older = "service.kubernetes.io/topology-aware-hints"
const current = "service.kubernetes.io/topology-mode"

/** Reports whether traffic should be spread over the zones by their CPUs. The older annotation wins where both are set: so upstream. */
export function usesTopologyHints({ metadata }: Service): boolean {
  const mode = metadata.annotations?.[older] ?? metadata.annotations?.[current]
  return mode === "Auto" || mode === "auto"
}

export interface HintedChanges extends SliceChanges {
  /** The event about hints, recorded once the slices are written. */
  readonly event?: { readonly type: "Normal" | "Warning"; readonly reason: string; readonly message: string }
}

/** Adds the hints of zones to endpoints: the annotation wins over spec.trafficDistribution, and without either there are no hints. */
export function withHintsFor({ service, slices, everyNode }: Observed, family: Family, changes: SliceChanges): HintedChanges {
  const had = hasHints(slices.filter((slice) => slice.addressType === family))
  if (!usesTopologyHints(service)) {
    if (distributesTraffic(service)) return hintNearby(changes, service)
    return { ...withoutHints(changes), ...(had && { event: disabled("Topology Aware Hints has been disabled", family) }) }
  }
  const hinted = hintByZoneShares(changes, zoneShares(everyNode))
  if (typeof hinted === "string") return { ...withoutHints(changes), event: disabled(hinted, family) }
  const message = `Topology Aware Hints has been enabled, addressType: ${family}`
  return had ? hinted : { ...hinted, event: { type: "Normal", reason: "TopologyAwareHintsEnabled", message } }
}

function disabled(why: string, family: Family): HintedChanges["event"] {
  return { type: "Warning", reason: "TopologyAwareHintsDisabled", message: `${why}, addressType: ${family}` }
}

/** What part of the cluster's CPUs each zone has, by zone in order of their names. */
type ZoneShares = ReadonlyMap<string, number>

/**
 * Returns the share of CPU of each zone; undefined when it cannot be known: one ready node without zone or CPU, or a single zone. Nodes that run no
 * ordinary pods do not count.
 */
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
interface Allocation {
  readonly desired: number
  readonly maximum: number
}

/**
 * Shares out so many endpoints; a text says why that cannot be done.
 * Example: 10 endpoints over 60 % and 40 %: desired 6 and 4; at least ceil(6 / 1.2) = 5 and ceil(4 / 1.2) = 4, so at most 5 + 1 and 4 + 1.
 */
export function allocations(shares: ZoneShares | undefined, endpoints: number): ReadonlyMap<string, Allocation> | string {
  if (shares === undefined) return "Insufficient Node information: allocatable CPU or zone not specified on one or more nodes"
  const counts = `(${endpoints} endpoints, ${shares.size} zones)`
  if (shares.size > endpoints) return `Insufficient number of endpoints ${counts}`
  const min = new Map([...shares].map(([zone, share]) => [zone, Math.ceil(share * endpoints * (1 / (1 + overload)))]))
  const spare = endpoints - [...min.values()].reduce((sum, minimum) => sum + minimum, 0)
  if (spare < 0) return `Unable to allocate minimum required endpoints to each zone without exceeding overload threshold ${counts}`
  return new Map([...min].map(([zone, minimum]) => [zone, allocation(minimum, shares.get(zone)! * endpoints, spare)]))
}

function allocation(minimum: number, share: number, spare: number): Allocation {
  return { desired: Math.max(share, minimum), maximum: minimum + spare }
}

type Allocations = ReadonlyMap<string, Allocation>

/** Hints that share the endpoints out over the zones by their CPUs, most of them in their own zone; a text says why there can be none. */
function hintByZoneShares(changes: SliceChanges, shares: ZoneShares | undefined): SliceChanges | string {
  const all = [...changes.create, ...changes.update, ...changes.unchanged].flatMap((slice) => slice.endpoints ?? [])
  const allocated = allocations(shares, all.filter(isReady).length)
  if (typeof allocated === "string") return allocated
  const { opened, hinted } = openInvalid(changes, allocated)
  const open = [...opened.create, ...opened.update].flatMap((slice) => slice.endpoints ?? []).filter(isReady)
  if (open.some((endpoint) => !endpoint.zone)) return "One or more endpoints do not have a zone specified"
  for (const { zone = "" } of open) hinted.set(zone, (hinted.get(zone) ?? 0) + 1)
  const zones = hintedZones(open, redistribution(allocated, hinted))
  return withEndpoints(opened, (endpoint) => {
    const zone = zones.get(endpoint)
    return zone === undefined ? (isReady(endpoint) ? endpoint : withHints(endpoint, undefined)) : withHints(endpoint, forZone(zone))
  })
}

function hasHints(slices: readonly EndpointSlice[]): boolean {
  return slices.some((slice) => slice.endpoints?.some((endpoint) => endpoint.hints !== undefined))
}

/** Unchanged slices keep their hints while these are possible; the others are written again. Counts the hints that stay, by zone. */
function openInvalid(
  changes: SliceChanges,
  allocated: Allocations,
): { readonly opened: SliceChanges; readonly hinted: Map<string, number> } {
  const hinted = new Map<string, number>()
  const invalid: EndpointSlice[] = []
  for (const slice of changes.unchanged) {
    const counts = hintCounts(slice, allocated)
    const fits =
      counts !== undefined && [...counts].every(([zone, count]) => (hinted.get(zone) ?? 0) + count <= allocated.get(zone)!.maximum)
    if (!fits) invalid.push(slice)
    else for (const [zone, count] of counts) hinted.set(zone, (hinted.get(zone) ?? 0) + count)
  }
  const unchanged = changes.unchanged.filter((slice) => !invalid.includes(slice))
  return { opened: { ...changes, unchanged, update: [...changes.update, ...invalid] }, hinted }
}

/** Undefined when a ready endpoint has no hint, or one for a zone that needs none. */
function hintCounts({ endpoints = [] }: EndpointSlice, allocated: Allocations): ReadonlyMap<string, number> | undefined {
  const counts = new Map<string, number>()
  for (const { hints } of endpoints.filter(isReady)) {
    const zones = hints?.forZones ?? []
    if (zones.length === 0 || zones.some(({ name }) => !allocated.has(name))) return undefined
    for (const { name } of zones) counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return counts
}

/** The zone each endpoint is to serve: its own, unless that has some to give and another needs one. */
function hintedZones(open: readonly Endpoint[], { giving, receiving }: ReturnType<typeof redistribution>): ReadonlyMap<Endpoint, string> {
  const zones = new Map<Endpoint, string>()
  for (const endpoint of open) {
    const own = endpoint.zone ?? ""
    const [other] = (giving.get(own) ?? 0) > 0 ? receiving.keys() : []
    zones.set(endpoint, other ?? own)
    if (other === undefined) continue
    take(giving, own)
    take(receiving, other)
  }
  return zones
}

function take(counts: Map<string, number>, zone: string): void {
  const remaining = (counts.get(zone) ?? 0) - 1
  if (remaining > 0) counts.set(zone, remaining)
  else counts.delete(zone)
}

function isReady({ conditions }: Endpoint): boolean {
  return conditions?.ready === true
}

function forZone(name: string): Endpoint["hints"] {
  return { forZones: [{ name }] }
}

/** How many endpoints each zone gives to others, and gets from them. */
interface Redistribution {
  readonly giving: Map<string, number>
  readonly receiving: Map<string, number>
}

/**
 * From the zone with the most to spare to the one that lacks most, one endpoint at a time, as long as that helps: both sides at least half an
 * endpoint, one of them a whole one. Traffic stays in its zone rather than being spread perfectly.
 */
export function redistribution(allocated: ReadonlyMap<string, Allocation>, hinted: ReadonlyMap<string, number>): Redistribution {
  const over = [...allocated].map(([zone, { desired }]) => [zone, (hinted.get(zone) ?? 0) - desired] as const)
  const spare = new Map(over.filter(([, count]) => count > 0))
  const lack = new Map(over.filter(([, count]) => count < 0).map(([zone, count]) => [zone, -count]))
  const giving = new Map<string, number>()
  const receiving = new Map<string, number>()
  for (;;) {
    const [giver, maxSpare] = highestCount(spare)
    const [receiver, maxLack] = highestCount(lack)
    if (maxSpare < 0.5 || maxLack < 0.5 || (maxSpare < 1 && maxLack < 1)) return { giving, receiving }
    spare.set(giver, maxSpare - 1)
    lack.set(receiver, maxLack - 1)
    giving.set(giver, (giving.get(giver) ?? 0) + 1)
    receiving.set(receiver, (receiving.get(receiver) ?? 0) + 1)
  }
}

/** The first of the zones with the highest count, and that count; 0 when none has any. */
function highestCount(counts: ReadonlyMap<string, number>): readonly [string, number] {
  let found: readonly [string, number] = ["", 0]
  for (const [zone, count] of counts) if (count > found[1]) found = [zone, count]
  return found
}
