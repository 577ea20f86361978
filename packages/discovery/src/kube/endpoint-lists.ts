import type { Endpoint } from "../model/endpoint.ts"
import { sameEndpoint } from "./convert/endpoint.ts"

/** Where an endpoint is: nobody else can be there. */
export function placeOf({ addresses, portName }: Endpoint): string {
  return `${addresses[0]} ${portName}`
}

/** The old object wherever nothing changed, and the old array where no object did. */
export function keptEndpoints(before: readonly Endpoint[], after: readonly Endpoint[]): readonly Endpoint[] {
  if (before.length === 0) return after.length === 0 ? before : after
  const known = new Map(before.map((endpoint) => [placeOf(endpoint), endpoint]))
  const merged = after.map((endpoint) => {
    const old = known.get(placeOf(endpoint))
    return old !== undefined && sameEndpoint(old, endpoint) ? old : endpoint
  })
  return sameItems(before, merged)
}

/** Each place once; the first that has it counts. */
export function united(slices: readonly (readonly Endpoint[])[]): readonly Endpoint[] {
  const found = new Map<string, Endpoint>()
  for (const endpoints of slices)
    for (const endpoint of endpoints) {
      const place = placeOf(endpoint)
      if (!found.has(place)) found.set(place, endpoint)
    }
  return [...found.values()]
}

/** The old array where the new one has the same items in the same order. */
export function sameItems(before: readonly Endpoint[], after: readonly Endpoint[]): readonly Endpoint[] {
  return before.length === after.length && before.every((endpoint, at) => endpoint === after[at]) ? before : after
}
