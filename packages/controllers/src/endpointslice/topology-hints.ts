import type { Endpoint, EndpointSlice } from "@pilothouse/api/discovery/v1"
import { type SliceChanges, withEndpoints } from "./changes.ts"
import { redistribution } from "./redistribution.ts"
import { withHints } from "./traffic-distribution.ts"
import { type Allocation, allocations, type ZoneShares } from "./zone-shares.ts"

type Allocations = ReadonlyMap<string, Allocation>

/** Hints that share the endpoints out over the zones by their CPUs, most of them in their own zone; a text says why there can be none. */
export function hintByZoneShares(changes: SliceChanges, shares: ZoneShares | undefined): SliceChanges | string {
  const all = [...changes.create, ...changes.update, ...changes.unchanged].flatMap((slice) => slice.endpoints ?? [])
  const wanted = allocations(shares, all.filter(isReady).length)
  if (typeof wanted === "string") return wanted
  const { opened, hinted } = openInvalid(changes, wanted)
  const open = [...opened.create, ...opened.update].flatMap((slice) => slice.endpoints ?? []).filter(isReady)
  if (open.some((endpoint) => !endpoint.zone)) return "One or more endpoints do not have a zone specified"
  for (const { zone = "" } of open) hinted.set(zone, (hinted.get(zone) ?? 0) + 1)
  const zones = hintedZones(open, redistribution(wanted, hinted))
  return withEndpoints(opened, (endpoint) => {
    const zone = zones.get(endpoint)
    return zone === undefined ? (isReady(endpoint) ? endpoint : withHints(endpoint, undefined)) : withHints(endpoint, forZone(zone))
  })
}

export function hasHints(slices: readonly EndpointSlice[]): boolean {
  return slices.some((slice) => slice.endpoints?.some((endpoint) => endpoint.hints !== undefined))
}

/** Slices that nobody touches keep their hints while these are possible; the others are written anew. Counts the hints that stay, by zone. */
function openInvalid(changes: SliceChanges, wanted: Allocations): { readonly opened: SliceChanges; readonly hinted: Map<string, number> } {
  const hinted = new Map<string, number>()
  const invalid: EndpointSlice[] = []
  for (const slice of changes.unchanged) {
    const counts = hintCounts(slice, wanted)
    const fits = counts !== undefined && [...counts].every(([zone, count]) => (hinted.get(zone) ?? 0) + count <= wanted.get(zone)!.maximum)
    if (!fits) invalid.push(slice)
    else for (const [zone, count] of counts) hinted.set(zone, (hinted.get(zone) ?? 0) + count)
  }
  const unchanged = changes.unchanged.filter((slice) => !invalid.includes(slice))
  return { opened: { ...changes, unchanged, update: [...changes.update, ...invalid] }, hinted }
}

/** Undefined when a ready endpoint has no hint, or one for a zone that needs none. */
function hintCounts({ endpoints = [] }: EndpointSlice, wanted: Allocations): ReadonlyMap<string, number> | undefined {
  const counts = new Map<string, number>()
  for (const { hints } of endpoints.filter(isReady)) {
    const zones = hints?.forZones ?? []
    if (zones.length === 0 || zones.some(({ name }) => !wanted.has(name))) return undefined
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
  const left = (counts.get(zone) ?? 0) - 1
  if (left > 0) counts.set(zone, left)
  else counts.delete(zone)
}

function isReady({ conditions }: Endpoint): boolean {
  return conditions?.ready === true
}

function forZone(name: string): Endpoint["hints"] {
  return { forZones: [{ name }] }
}
