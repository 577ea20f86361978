/** A host and the port of its service that an address stands for. */
export interface Claim {
  readonly hostname: string
  readonly port: number
}

const nothing: ReadonlyMap<string, number> = new Map()

/**
 * Which hosts have the address and port that a listener is named after: several may have the same, as two headless services with the same pods do.
 *
 * Always true between calls: a name has a claim of a host exactly where that host was last said to have the name.
 */
export class ListenerClaims {
  /** By hostname, so that every replica gives an address to the same one. */
  readonly #byName = new Map<string, readonly Claim[]>()
  readonly #byHost = new Map<string, ReadonlyMap<string, number>>()

  /** All names that a host has now, each with its port. */
  put(hostname: string, names: ReadonlyMap<string, number>): void {
    const before = this.#byHost.get(hostname) ?? nothing
    if (isSame(before, names)) return
    for (const name of before.keys()) this.#set(name, this.#without(name, hostname))
    for (const [name, port] of names) this.#set(name, [...this.#without(name, hostname), { hostname, port }].sort(byHostname))
    if (names.size === 0) this.#byHost.delete(hostname)
    else this.#byHost.set(hostname, names)
  }

  of(name: string): readonly Claim[] {
    return this.#byName.get(name) ?? []
  }

  #without(name: string, hostname: string): readonly Claim[] {
    return this.of(name).filter((claim) => claim.hostname !== hostname)
  }

  #set(name: string, claims: readonly Claim[]): void {
    if (claims.length === 0) this.#byName.delete(name)
    else this.#byName.set(name, claims)
  }
}

function byHostname(one: Claim, other: Claim): number {
  return one.hostname < other.hostname ? -1 : 1
}

function isSame(one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): boolean {
  if (one.size !== other.size) return false
  for (const [name, port] of one) if (other.get(name) !== port) return false
  return true
}
