import type { Service } from "@pilothouse/api/core/v1"
import type { Endpoint, EndpointPort, EndpointSlice } from "@pilothouse/api/discovery/v1"
import type { Family } from "../service-endpoints/addresses.ts"
import type { SliceChanges } from "./changes.ts"
import { endpointKey, saysTheSame } from "./endpoint.ts"
import { hasServiceLabels, newSlice, withServiceLabels } from "./slice.ts"

/** Endpoints that have all their ports in common. */
export interface Group {
  readonly service: Service
  readonly family: Family
  readonly ports: readonly EndpointPort[]
  /** By endpointKey. */
  readonly wanted: ReadonlyMap<string, Endpoint>
  /** The slices that are there with these ports. */
  readonly existing: readonly EndpointSlice[]
  /** The most endpoints in one slice. */
  readonly most: number
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
  const left = new Map(group.wanted)
  const drafts = group.existing.map((old) => keepWanted(old, left, group.service))
  const written = drafts.filter((draft) => draft.changed && !isEmptied(draft))
  for (const draft of written.sort((a, b) => b.endpoints.length - a.endpoints.length)) fill(draft, left, group.most)
  const made: Draft[] = []
  while (left.size > 0) {
    const room =
      left.size < group.most
        ? bestFit(
            drafts.filter((draft) => !draft.changed),
            left.size,
            group.most,
          )
        : undefined
    const draft = room ?? { endpoints: [], changed: true }
    if (room === undefined) made.push(draft)
    draft.changed = true
    fill(draft, left, group.most)
  }
  return changesOf(group, drafts, made)
}

/** Takes the endpoints that stay out of those that have to be placed. */
function keepWanted(old: EndpointSlice, left: Map<string, Endpoint>, service: Service): Draft {
  const endpoints: Endpoint[] = []
  let changed = !hasServiceLabels(old, service)
  for (const there of old.endpoints ?? []) {
    const key = endpointKey(there)
    const wanted = left.get(key)
    left.delete(key)
    if (wanted === undefined || !saysTheSame(there, wanted)) changed = true
    // One that says the same keeps its hints: they are looked at later.
    if (wanted !== undefined) endpoints.push(saysTheSame(there, wanted) ? there : wanted)
  }
  return { old, endpoints, changed }
}

function fill({ endpoints }: Draft, left: Map<string, Endpoint>, most: number): void {
  for (const [key, endpoint] of left) {
    if (endpoints.length >= most) return
    endpoints.push(endpoint)
    left.delete(key)
  }
}

/** The one that is fullest with them in it. */
function bestFit(drafts: readonly Draft[], count: number, most: number): Draft | undefined {
  const fitting = drafts.filter(({ endpoints }) => endpoints.length + count <= most)
  return fitting.sort((a, b) => b.endpoints.length - a.endpoints.length)[0]
}

function changesOf({ service, family, ports }: Group, drafts: readonly Draft[], made: readonly Draft[]): SliceChanges {
  return {
    create: made.map(({ endpoints }) => ({ ...newSlice(service, family, ports), endpoints })),
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
