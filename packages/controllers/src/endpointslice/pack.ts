import type { Service } from "@pilothouse/api/core/v1"
import type { Endpoint, EndpointPort, EndpointSlice } from "@pilothouse/api/discovery/v1"
import type { Family } from "../service-endpoints/addresses.ts"
import type { SliceChanges } from "./changes.ts"
import { endpointKey, isSameEndpoint } from "./endpoint.ts"
import { hasServiceLabels, newSlice, withServiceLabels } from "./slice.ts"

/** Endpoints that have all their ports in common. */
export interface Group {
  readonly service: Service
  readonly family: Family
  readonly ports: readonly EndpointPort[]
  /** By endpointKey. */
  readonly desired: ReadonlyMap<string, Endpoint>
  /** The slices that are there with these ports. */
  readonly existing: readonly EndpointSlice[]
  /** The most endpoints in one slice. */
  readonly maxEndpoints: number
}

/** A slice on the way to what it should be. */
interface Draft {
  /** Undefined for one that has to be made. */
  readonly old?: EndpointSlice
  readonly endpoints: Endpoint[]
  changed: boolean
}

/**
 * Puts the wanted endpoints into slices with few writes rather than tight packing: what is there stays where it is, what is new goes into slices
 * that are written anyway, then into the one untouched slice that it fills best, then into new ones. Nothing is moved to even things out.
 */
export function pack(group: Group): SliceChanges {
  const remaining = new Map(group.desired)
  const drafts = group.existing.map((old) => keepDesired(old, remaining, group.service))
  const written = drafts.filter((draft) => draft.changed && !isEmptied(draft))
  for (const draft of written.sort((a, b) => b.endpoints.length - a.endpoints.length)) fill(draft, remaining, group.maxEndpoints)
  const created: Draft[] = []
  while (remaining.size > 0) {
    const room =
      remaining.size < group.maxEndpoints
        ? bestFit(
            drafts.filter((draft) => !draft.changed),
            remaining.size,
            group.maxEndpoints,
          )
        : undefined
    const draft = room ?? { endpoints: [], changed: true }
    if (room === undefined) created.push(draft)
    draft.changed = true
    fill(draft, remaining, group.maxEndpoints)
  }
  return toChanges(group, drafts, created)
}

/** Takes the endpoints that stay out of those that have to be placed. */
function keepDesired(old: EndpointSlice, remaining: Map<string, Endpoint>, service: Service): Draft {
  const endpoints: Endpoint[] = []
  let changed = !hasServiceLabels(old, service)
  for (const existing of old.endpoints ?? []) {
    const key = endpointKey(existing)
    const desired = remaining.get(key)
    remaining.delete(key)
    if (desired === undefined || !isSameEndpoint(existing, desired)) changed = true
    // One that says the same keeps its hints: they are compared later.
    if (desired !== undefined) endpoints.push(isSameEndpoint(existing, desired) ? existing : desired)
  }
  return { old, endpoints, changed }
}

function fill({ endpoints }: Draft, remaining: Map<string, Endpoint>, maxEndpoints: number): void {
  for (const [key, endpoint] of remaining) {
    if (endpoints.length >= maxEndpoints) return
    endpoints.push(endpoint)
    remaining.delete(key)
  }
}

/** The one that is fullest with them in it. */
function bestFit(drafts: readonly Draft[], count: number, maxEndpoints: number): Draft | undefined {
  const fitting = drafts.filter(({ endpoints }) => endpoints.length + count <= maxEndpoints)
  return fitting.sort((a, b) => b.endpoints.length - a.endpoints.length)[0]
}

function toChanges({ service, family, ports }: Group, drafts: readonly Draft[], created: readonly Draft[]): SliceChanges {
  return {
    create: created.map(({ endpoints }) => ({ ...newSlice(service, family, ports), endpoints })),
    update: drafts
      .filter((draft) => draft.changed && !isEmptied(draft))
      .map(({ old, endpoints }) => withServiceLabels({ ...old!, endpoints }, service)),
    remove: drafts.filter(isEmptied).map(({ old }) => old!),
    unchanged: drafts.filter(({ changed }) => !changed).map(({ old }) => old!),
  }
}

/** Had endpoints, and has none that stay: it goes, or another is made of it. */
function isEmptied({ old, endpoints }: Draft): boolean {
  return endpoints.length === 0 && (old?.endpoints ?? []).length > 0
}
