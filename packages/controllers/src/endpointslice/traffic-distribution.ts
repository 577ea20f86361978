import { deepEqual } from "@pilothouse/api"
import type { Service } from "@pilothouse/api/core/v1"
import type { Endpoint, EndpointHints } from "@pilothouse/api/discovery/v1"
import type { SliceChanges } from "./changes.ts"
import { withEndpoints } from "./changes.ts"

const distributions: ReadonlySet<string> = new Set(["PreferClose", "PreferSameZone", "PreferSameNode"])

/** Whether spec.trafficDistribution says where traffic should stay; a value that nobody knows says nothing. */
export function distributesTraffic({ spec }: Service): boolean {
  return distributions.has(spec?.trafficDistribution ?? "")
}

/** Each ready endpoint serves its own zone, and with PreferSameNode its own node. */
export function hintNearby(changes: SliceChanges, { spec }: Service): SliceChanges {
  const nodesToo = spec?.trafficDistribution === "PreferSameNode"
  return withEndpoints(changes, (endpoint) => {
    // Nobody is sent to an endpoint that is not ready: its hints are not worth a write.
    return endpoint.conditions?.ready === true ? withHints(endpoint, nearby(endpoint, nodesToo)) : endpoint
  })
}

export function withoutHints(changes: SliceChanges): SliceChanges {
  return withEndpoints(changes, (endpoint) => withHints(endpoint, undefined))
}

/** The same endpoint when it has these hints already. */
export function withHints(endpoint: Endpoint, hints: EndpointHints | undefined): Endpoint {
  if (deepEqual(endpoint.hints, hints)) return endpoint
  const { hints: _, ...rest } = endpoint
  return hints === undefined ? rest : { ...rest, hints }
}

function nearby({ zone, nodeName }: Endpoint, nodesToo: boolean): EndpointHints | undefined {
  const forZones = zone === undefined ? {} : { forZones: [{ name: zone }] }
  const forNodes = nodesToo && nodeName !== undefined ? { forNodes: [{ name: nodeName }] } : {}
  const hints = { ...forZones, ...forNodes }
  return Object.keys(hints).length === 0 ? undefined : hints
}
