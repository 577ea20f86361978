import { exportedPorts } from "../generators/names.ts"
import { serviceBehind } from "../model/alias.ts"
import type { Service } from "../model/service.ts"

/** What an alias was and is, resolved. */
export interface AliasChange {
  readonly before: Service | undefined
  readonly after: Service | undefined
}

const none: readonly never[] = Object.freeze([])

/**
 * Which names stand for which services, where ExternalNames are aliases. A resolved alias has the host at the end of its chain as `aliasOf`, and the ports of
 * that host: its own mean nothing. One that leads nowhere or in a circle is not resolved: DNS has no answer for it either.
 *
 * Invariant: every alias is under the name that it gives itself, and resolved as things were when it, or a host on its way, changed last.
 */
export class AliasIndex {
  readonly #service: (hostname: string) => Service | undefined
  /** Not only of services: of other aliases, and of hosts that are not there yet. */
  readonly #byTarget = new Map<string, Set<string>>()
  readonly #resolved = new Map<string, Service>()

  /** `service`: as it was learned last. */
  constructor(service: (hostname: string) => Service | undefined) {
    this.#service = service
  }

  at(hostname: string): Service | undefined {
    return this.#resolved.get(hostname)
  }

  /** In Istio's order. */
  of(hostname: string): readonly Service[] {
    if (!this.#byTarget.has(hostname)) return none
    const all = [...this.#leadingTo(hostname)].map((host) => this.#resolved.get(host))
    return all.filter((alias) => alias !== undefined).sort(byNamespace)
  }

  /** A host was an alias of one name and is of another, or of none: what becomes of every alias on whose way it stands. */
  change(hostname: string, before: string | undefined, after: string | undefined): readonly AliasChange[] {
    if (before !== after) {
      if (before !== undefined) this.#unlink(hostname, before)
      if (after !== undefined) this.#link(hostname, after)
    }
    return this.#resolve(hostname)
  }

  #resolve(hostname: string): readonly AliasChange[] {
    // Nearly every service: it is no alias, was none, and has none.
    if (!this.#byTarget.has(hostname) && !this.#resolved.has(hostname) && this.#service(hostname)?.aliasOf === undefined) return none
    return [...this.#leadingTo(hostname)].map((host) => {
      const before = this.#resolved.get(host)
      const after = this.#resolvedNow(host)
      if (after === undefined) this.#resolved.delete(host)
      else this.#resolved.set(host, after)
      return { before, after }
    })
  }

  #resolvedNow(hostname: string): Service | undefined {
    const alias = this.#service(hostname)
    if (alias?.aliasOf === undefined) return undefined
    const target = serviceBehind(alias, this.#service)
    return target && { ...alias, aliasOf: target.hostname, ports: exportedPorts(target) }
  }

  /** This host, and whatever leads to it or through it. */
  #leadingTo(hostname: string): ReadonlySet<string> {
    const found = new Set<string>([hostname])
    // A set that grows while it is walked is walked to its new end.
    for (const host of found) for (const alias of this.#byTarget.get(host) ?? []) found.add(alias)
    return found
  }

  #link(hostname: string, target: string): void {
    const known = this.#byTarget.get(target)
    if (known === undefined) this.#byTarget.set(target, new Set([hostname]))
    else known.add(hostname)
  }

  #unlink(hostname: string, target: string): void {
    const known = this.#byTarget.get(target)
    if (known?.delete(hostname) && known.size === 0) this.#byTarget.delete(target)
  }
}

function byNamespace(one: Service, other: Service): number {
  if (one.namespace !== other.namespace) return one.namespace < other.namespace ? -1 : 1
  return one.hostname < other.hostname ? -1 : 1
}
