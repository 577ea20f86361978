import type { Service } from "../../model/service.ts"
import { addTo, takeFrom } from "./sets-by-key.ts"

type Labels = Readonly<Record<string, string>> | undefined

/**
 * Services by hostname, by address, and by the pods that they select.
 *
 * Invariant: every service stands once under its hostname, under each of its addresses, and (with a selector) under one pair of it;
 * no set is empty.
 */
export class ServiceIndex {
  readonly #byHostname = new Map<string, Service>()
  readonly #byAddress = new Map<string, Set<string>>()
  readonly #bySelector = new Map<string, Set<string>>()
  #sorted: readonly Service[] | undefined

  get size(): number {
    return this.#byHostname.size
  }

  get(hostname: string): Service | undefined {
    return this.#byHostname.get(hostname)
  }

  /** By hostname; the same array until a service changes. */
  sorted(): readonly Service[] {
    this.#sorted ??= [...this.#byHostname.values()].sort((a, b) => (a.hostname < b.hostname ? -1 : 1))
    return this.#sorted
  }

  put(service: Service): void {
    this.remove(service.hostname)
    this.#byHostname.set(service.hostname, service)
    for (const address of addressesOf(service)) addTo(this.#byAddress, address, service.hostname)
    const pair = pairOf(service)
    if (pair !== undefined) addTo(this.#bySelector, pair, service.hostname)
    this.#sorted = undefined
  }

  remove(hostname: string): void {
    const old = this.#byHostname.get(hostname)
    if (old === undefined) return
    this.#byHostname.delete(hostname)
    for (const address of addressesOf(old)) takeFrom(this.#byAddress, address, hostname)
    const pair = pairOf(old)
    if (pair !== undefined) takeFrom(this.#bySelector, pair, hostname)
    this.#sorted = undefined
  }

  byAddress(address: string): readonly Service[] {
    return this.#resolve(this.#byAddress.get(address))
  }

  /** The services of a namespace whose selector these labels fit: only those are looked at that share a pair with them. */
  selecting(namespace: string, labels: Labels): readonly Service[] {
    const found: Service[] = []
    for (const [key, value] of Object.entries(labels ?? {})) {
      const sharing = this.#resolve(this.#bySelector.get(`${namespace}/${key}=${value}`))
      found.push(...sharing.filter(({ selector }) => isSubset(selector, labels)))
    }
    return found.sort((a, b) => (a.hostname < b.hostname ? -1 : 1))
  }

  #resolve(hostnames: ReadonlySet<string> | undefined): readonly Service[] {
    return [...(hostnames ?? [])]
      .flatMap((hostname) => this.#byHostname.get(hostname) ?? [])
      .sort((a, b) => (a.hostname < b.hostname ? -1 : 1))
  }
}

/** Reports whether every pair of the first stands in the second. */
export function isSubset(selector: Labels, labels: Labels): boolean {
  return Object.entries(selector ?? {}).every(([key, value]) => labels?.[key] === value)
}

function addressesOf({ addresses, externalAddresses = [] }: Service): ReadonlySet<string> {
  return new Set([...Object.values(addresses).flat(), ...externalAddresses])
}

/** One pair of the selector is enough to find it by. */
function pairOf({ namespace, selector }: Service): string | undefined {
  const [first] = Object.entries(selector ?? {}).sort(([a], [b]) => (a < b ? -1 : 1))
  return first && `${namespace}/${first[0]}=${first[1]}`
}
