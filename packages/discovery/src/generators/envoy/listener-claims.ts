/** A host and the port of its service that an address stands for. */
export interface Claim {
  readonly hostname: string
  readonly port: number
}

const nothing: ReadonlyMap<string, number> = new Map()

/**
 * The hosts that have the address and port a listener is named after: several may have the same, as two headless Services with the same pods do.
 *
 * Invariant: a name has a claim of a host exactly where the last `put` of that host has the name; claims stand in the order of hostnames, so that every
 * replica gives an address to the same host.
 */
export class ListenerClaims {
  readonly #byName = new Map<string, Claim[]>()
  readonly #byHost = new Map<string, ReadonlyMap<string, number>>()

  /** All names that a host has now, each with its port. Touches only those that differ from before. */
  put(hostname: string, names: ReadonlyMap<string, number>): void {
    const before = this.#byHost.get(hostname) ?? nothing
    for (const name of before.keys()) if (!names.has(name)) this.#remove(name, hostname)
    for (const [name, port] of names) if (before.get(name) !== port) this.#set(name, { hostname, port })
    if (names.size === 0) this.#byHost.delete(hostname)
    else this.#byHost.set(hostname, names)
  }

  of(name: string): readonly Claim[] {
    return this.#byName.get(name) ?? []
  }

  #set(name: string, claim: Claim): void {
    const claims = this.#byName.get(name)
    if (claims === undefined) return void this.#byName.set(name, [claim])
    const at = position(claims, claim.hostname)
    claims.splice(at, claims[at]?.hostname === claim.hostname ? 1 : 0, claim)
  }

  #remove(name: string, hostname: string): void {
    const claims = this.#byName.get(name)
    if (claims === undefined) return
    claims.splice(position(claims, hostname), 1)
    if (claims.length === 0) this.#byName.delete(name)
  }
}

/** Where the claim of a host is, or belongs: the index of the first one that is not before it. */
function position(claims: readonly Claim[], hostname: string): number {
  let from = 0
  let to = claims.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if (claims[middle]!.hostname < hostname) from = middle + 1
    else to = middle
  }
  return from
}
