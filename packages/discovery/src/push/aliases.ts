import type { Clock } from "@pilothouse/seams"
import type { AliasSource } from "../generators/generator.ts"
import { exportedPorts, isSeenAsWidely } from "../generators/names.ts"
import { serviceBehind } from "../model/alias.ts"
import type { Service } from "../model/service.ts"

/** What aliases are resolved by. */
export interface AliasesOptions {
  /** As it was learned last. */
  readonly service: (hostname: string) => Service | undefined
  readonly clock: Clock
  /** Milliseconds for which the listeners of an alias stay after it. */
  readonly grace: number
  readonly onLeft: (alias: Service) => void
}

/**
 * Aliases as they are, and those that have just gone. Each of these is reported when its time is over, also where another of its name took its place.
 */
export class Aliases implements AliasSource, Disposable {
  readonly #options: AliasesOptions
  readonly #index: AliasIndex
  readonly #leaving = new Map<string, { readonly alias: Service; readonly timer: Disposable }>()

  constructor(options: AliasesOptions) {
    this.#options = options
    this.#index = new AliasIndex(options.service)
  }

  at(hostname: string): Service | undefined {
    return this.#index.at(hostname)
  }

  of(hostname: string): readonly Service[] {
    return this.#index.of(hostname)
  }

  leavingAt(hostname: string): Service | undefined {
    return this.#leaving.get(hostname)?.alias
  }

  *leaving(): Iterable<Service> {
    for (const { alias } of this.#leaving.values()) yield alias
  }

  /** A host was and is this: every alias on whose way it stands, as it was and is. */
  refresh(hostname: string, before: Service | undefined, after: Service | undefined): readonly Service[] {
    const changes = this.#index.change(hostname, before?.aliasOf, after?.aliasOf)
    for (const { before: was, after: is } of changes) if (was !== undefined && !(is && goesOn(was, is))) this.#leave(was)
    return changes.flatMap(({ before: was, after: is }) => [was, is]).filter((alias) => alias !== undefined)
  }

  [Symbol.dispose](): void {
    for (const { timer } of this.#leaving.values()) timer[Symbol.dispose]()
    this.#leaving.clear()
  }

  #leave(gone: Service): void {
    const { clock, grace, onLeft } = this.#options
    const { hostname } = gone
    const before = this.#leaving.get(hostname)
    before?.timer[Symbol.dispose]()
    // One that was hidden from some, and then goes for all, stays for all of them.
    const alias = before !== undefined && goesOn(gone, before.alias) ? before.alias : gone
    const timer = clock.timer(grace, `grace of the alias ${hostname}`, () => {
      this.#leaving.delete(hostname)
      onLeft(alias)
    })
    this.#leaving.set(hostname, { alias, timer })
    if (before !== undefined && before.alias !== alias) onLeft(before.alias)
  }
}

/** Reports whether both aliases lead the same clients to the same target. */
function goesOn(before: Service, after: Service): boolean {
  const ports = new Set(after.ports.map(({ port }) => port))
  return after.aliasOf === before.aliasOf && isSeenAsWidely(after, before) && before.ports.every(({ port }) => ports.has(port))
}

/** What an alias was and is, resolved. */
interface AliasChange {
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
class AliasIndex {
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
