import type { Service } from "@pilothouse/api/core/v1"
import type { Endpoint, EndpointHints } from "@pilothouse/api/discovery/v1"
import type { Family } from "../service-endpoints/addresses.ts"
import { type SliceChanges, withEndpoints, withHints } from "./changes.ts"
import type { Observed } from "./observe.ts"
import { hasHints, hintByZoneShares, zoneShares } from "./topology-hints.ts"

const distributions: ReadonlySet<string> = new Set(["PreferClose", "PreferSameZone", "PreferSameNode"])

/** Whether spec.trafficDistribution says where traffic should stay; an unknown value says nothing. */
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

/** Whether traffic should be spread over the zones by their CPUs. The older annotation wins where both are set: so upstream. */
export function usesTopologyHints({ metadata }: Service): boolean {
  const mode = metadata.annotations?.[older] ?? metadata.annotations?.[current]
  return mode === "Auto" || mode === "auto"
}

export interface HintedChanges extends SliceChanges {
  /** The event about hints, recorded once the slices are written. */
  readonly event?: { readonly type: "Normal" | "Warning"; readonly reason: string; readonly message: string }
}

/** Where proxies should send traffic from: the annotation wins over spec.trafficDistribution, and without either there are no hints. */
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
