import { deepEqual } from "@pilothouse/api"
import type { Endpoint, EndpointHints, EndpointSlice } from "@pilothouse/api/discovery/v1"

/** What becomes of the slices of a Service. */
export interface SliceChanges {
  readonly create: readonly EndpointSlice[]
  /** As they should be, with the name and resourceVersion of the one that is there. */
  readonly update: readonly EndpointSlice[]
  readonly remove: readonly EndpointSlice[]
  readonly unchanged: readonly EndpointSlice[]
}

export const noChanges: SliceChanges = { create: [], update: [], remove: [], unchanged: [] }

export function together(all: readonly SliceChanges[]): SliceChanges {
  return {
    create: all.flatMap((changes) => changes.create),
    update: all.flatMap((changes) => changes.update),
    remove: all.flatMap((changes) => changes.remove),
    unchanged: all.flatMap((changes) => changes.unchanged),
  }
}

/** Changes every endpoint; a slice in which one really became another has to be written. The function gives the same endpoint back for no change. */
export function withEndpoints(changes: SliceChanges, next: (endpoint: Endpoint) => Endpoint): SliceChanges {
  const mapped = (slice: EndpointSlice): EndpointSlice => {
    const endpoints = slice.endpoints?.map(next)
    return endpoints?.some((endpoint, at) => endpoint !== slice.endpoints?.[at]) ? { ...slice, endpoints } : slice
  }
  const pairs = changes.unchanged.map((slice) => [slice, mapped(slice)] as const)
  return {
    create: changes.create.map(mapped),
    update: [...changes.update.map(mapped), ...pairs.filter(([old, now]) => old !== now).map(([, now]) => now)],
    remove: changes.remove,
    unchanged: pairs.filter(([old, now]) => old === now).map(([old]) => old),
  }
}

/** Returns the endpoint with these hints; the same object when it has them already. */
export function withHints(endpoint: Endpoint, hints: EndpointHints | undefined): Endpoint {
  if (deepEqual(endpoint.hints, hints)) return endpoint
  const { hints: _, ...rest } = endpoint
  return hints === undefined ? rest : { ...rest, hints }
}
