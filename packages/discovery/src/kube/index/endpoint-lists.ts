import type { Endpoint } from "../../model/endpoint.ts"
import { sameEndpoint } from "../convert/endpoint.ts"

/** Returns the key of an endpoint's address: no other endpoint has it. */
export function placeOf({ addresses, portName }: Endpoint): string {
  return `${addresses[0]} ${portName}`
}

/** The old object wherever nothing changed, and the old array where no object did. */
export function keptEndpoints(before: readonly Endpoint[], after: readonly Endpoint[]): readonly Endpoint[] {
  if (before.length === 0) return after.length === 0 ? before : after
  const old = new Aligned(before)
  const merged = after.map((endpoint) => {
    const known = old.at(endpoint)
    return known !== undefined && sameEndpoint(known, endpoint) ? known : endpoint
  })
  return sameItems(before, merged)
}

/** Finds endpoints by their place. Lists that follow each other have nearly the same order: most are found without making any text. */
class Aligned {
  readonly #list: readonly Endpoint[]
  #next = 0
  #byPlace: Map<string, Endpoint> | undefined

  constructor(list: readonly Endpoint[]) {
    this.#list = list
  }

  at(endpoint: Endpoint): Endpoint | undefined {
    // The same one, or one was taken out before it.
    for (let at = this.#next; at < this.#next + 2 && at < this.#list.length; at++) {
      const candidate = this.#list[at]!
      if (candidate.addresses[0] !== endpoint.addresses[0] || candidate.portName !== endpoint.portName) continue
      this.#next = at + 1
      return candidate
    }
    this.#byPlace ??= new Map(this.#list.map((one) => [placeOf(one), one]))
    return this.#byPlace.get(placeOf(endpoint))
  }
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
