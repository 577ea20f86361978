import type { Endpoint } from "../../model/endpoint.ts"
import { keptEndpoints, placeOf, sameItems, united } from "./endpoint-lists.ts"

/** What became other by one step. */
export interface EndpointChange {
  readonly gone: readonly Endpoint[]
  readonly came: readonly Endpoint[]
}

interface Entry {
  readonly slices: Map<string, readonly Endpoint[]>
  /** How many slices have a place, by port name and address; more than one only while an endpoint moves. */
  readonly places: Map<string, Map<string, number>>
  /** How many endpoints are there more than once. */
  doubled: number
  /** Made when it is asked for: a list of ten thousand is not put together for every slice. */
  list: readonly Endpoint[] | undefined
}

const none: readonly Endpoint[] = Object.freeze([])

/**
 * Endpoints by service and by the slice that they stand in.
 *
 * Invariant: the list of a service has one endpoint for each first address and port name of its slices (an endpoint may stand in two
 * slices while it moves); an endpoint that did not change is the same object, and a list of which none changed is the same array; no slice is empty.
 */
export class EndpointIndex {
  readonly #entries = new Map<string, Entry>()
  /** Which service a slice stands under: its label may change. */
  readonly #serviceOf = new Map<string, string>()

  get(service: string): readonly Endpoint[] {
    const entry = this.#entries.get(service)
    if (entry === undefined) return none
    entry.list ??= listOf(entry)
    return entry.list
  }

  /** What one slice says of a service, ready or not; costs nothing, however many slices there are. */
  inSlice(service: string, slice: string): readonly Endpoint[] {
    return this.#entries.get(service)?.slices.get(slice) ?? none
  }

  services(): Iterable<string> {
    return this.#entries.keys()
  }

  serviceOf(slice: string): string | undefined {
    return this.#serviceOf.get(slice)
  }

  /** Replaces what a slice says; costs as much as that slice is long. Undefined: nothing changed. */
  put(service: string, slice: string, endpoints: readonly Endpoint[]): EndpointChange | undefined {
    const entry = this.#entries.get(service) ?? newEntry()
    const before = entry.slices.get(slice) ?? none
    const after = keptEndpoints(before, endpoints)
    if (after === before) return undefined
    const change = difference(before, after)
    const plain = isPlain(entry, { before, after, change })
    const whole = plain ? undefined : this.get(service)
    if (plain) setEndpoints(entry, slice, after, change)
    else setSlice(entry, slice, after)
    if (after.length === 0) this.#serviceOf.delete(slice)
    else this.#serviceOf.set(slice, service)
    this.#keep(service, entry)
    // Only where an endpoint stands in two slices does it matter what the others say.
    return whole === undefined ? change : this.#settle(service, entry, whole)
  }

  /** Replaces everything that is known of a service in one step. Undefined: nothing changed. */
  replace(service: string, slices: ReadonlyMap<string, readonly Endpoint[]>): EndpointChange | undefined {
    const whole = this.get(service)
    const known = this.#entries.get(service)
    const entry = newEntry()
    for (const slice of known?.slices.keys() ?? []) this.#serviceOf.delete(slice)
    for (const [slice, endpoints] of slices) {
      setSlice(entry, slice, keptEndpoints(whole, endpoints))
      if (endpoints.length > 0) this.#serviceOf.set(slice, service)
    }
    this.#keep(service, entry)
    return this.#settle(service, entry, whole)
  }

  /** The service is gone, with all its slices. */
  drop(service: string): void {
    for (const slice of this.#entries.get(service)?.slices.keys() ?? []) this.#serviceOf.delete(slice)
    this.#entries.delete(service)
  }

  #keep(service: string, entry: Entry): void {
    if (entry.slices.size === 0) this.#entries.delete(service)
    else this.#entries.set(service, entry)
  }

  #settle(service: string, entry: Entry, before: readonly Endpoint[]): EndpointChange | undefined {
    const after = sameItems(before, listOf(entry))
    if (this.#entries.get(service) === entry) entry.list = after
    return after === before ? undefined : difference(before, after)
  }
}

function newEntry(): Entry {
  return { slices: new Map(), places: new Map(), doubled: 0, list: undefined }
}

function listOf({ slices, doubled }: Entry): readonly Endpoint[] {
  const all = [...slices.values()]
  if (doubled > 0) return united(all)
  return all.length === 1 ? all[0]! : all.flat()
}

function setSlice(entry: Entry, slice: string, endpoints: readonly Endpoint[]): void {
  setEndpoints(entry, slice, endpoints, { gone: entry.slices.get(slice) ?? none, came: endpoints })
}

/** With only those counted that went and came. */
function setEndpoints(entry: Entry, slice: string, endpoints: readonly Endpoint[], { gone, came }: EndpointChange): void {
  for (const endpoint of gone) count(entry, endpoint, -1)
  for (const endpoint of came) count(entry, endpoint, 1)
  if (endpoints.length === 0) entry.slices.delete(slice)
  else entry.slices.set(slice, endpoints)
  entry.list = undefined
}

function count(entry: Entry, endpoint: Endpoint, by: 1 | -1): void {
  const { portName, addresses } = endpoint
  const before = countOf(entry, endpoint)
  const counts = entry.places.get(portName) ?? new Map<string, number>()
  if (before + by === 0) counts.delete(addresses[0]!)
  else counts.set(addresses[0]!, before + by)
  if (counts.size === 0) entry.places.delete(portName)
  else entry.places.set(portName, counts)
  entry.doubled += Math.max(0, before + by - 1) - Math.max(0, before - 1)
}

function countOf({ places }: Entry, { portName, addresses }: Endpoint): number {
  return places.get(portName)?.get(addresses[0]!) ?? 0
}

/** Reports whether no endpoint stands in two places, before or after: then only what came and went has to be counted. */
function isPlain(
  entry: Entry,
  { before, after, change }: { before: readonly Endpoint[]; after: readonly Endpoint[]; change: EndpointChange },
): boolean {
  if (entry.doubled > 0 || after.length !== before.length - change.gone.length + change.came.length) return false
  const freed = new Set(change.gone.map(placeOf))
  const seen = new Set<string>()
  return change.came.every((endpoint) => {
    const place = placeOf(endpoint)
    if (seen.has(place) || countOf(entry, endpoint) > (freed.has(place) ? 1 : 0)) return false
    seen.add(place)
    return true
  })
}

function difference(before: readonly Endpoint[], after: readonly Endpoint[]): EndpointChange {
  const [old, now] = [new Set(before), new Set(after)]
  return { gone: before.filter((endpoint) => !now.has(endpoint)), came: after.filter((endpoint) => !old.has(endpoint)) }
}
