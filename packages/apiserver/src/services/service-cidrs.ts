import type { KubeObject } from "@pilothouse/api"
import { type ServiceCIDR } from "@pilothouse/api/networking/v1"
import type { Storage } from "../storage/storage.ts"
import { hasHost, type Ipv4Range, parseIpv4Range } from "./ipv4-range.ts"

interface Entry {
  readonly range: Ipv4Range
  /** By the name of each ServiceCIDR with this range: whether it is ready. */
  readonly owners: Map<string, boolean>
}

/**
 * The ranges that Services get their addresses from: those of all ServiceCIDRs. IPv6 ranges are left out: Services here have IPv4 addresses.
 *
 * Invariant: a range is here while a stored ServiceCIDR names it.
 */
export class ServiceCidrs {
  readonly #entries = new Map<string, Entry>()

  constructor(storage: Storage, prefix: string) {
    for (const { value } of storage.list(prefix).items) this.#add(value)
    storage.watch(prefix, storage.revision, ({ type, value, previous }) => {
      if (previous !== undefined) this.#remove(previous.value)
      if (type === "put") this.#add(value)
    })
  }

  /** The ranges that new addresses are taken from. */
  *ready(): Iterable<Ipv4Range> {
    for (const { range, owners } of this.#entries.values()) if (owners.values().some((isReady) => isReady)) yield range
  }

  /** Whether an address is in a range that new ones are taken from. */
  isAllocatable(number: number): boolean {
    for (const range of this.ready()) if (hasHost(range, number)) return true
    return false
  }

  /** Whether a range has the address, ready or not. */
  contains(number: number): boolean {
    return this.#entries.values().some(({ range }) => hasHost(range, number))
  }

  #add(object: KubeObject): void {
    const { metadata, spec } = object as ServiceCIDR
    for (const text of spec?.cidrs ?? []) {
      const entry = this.#entries.get(text) ?? newEntry(text)
      if (entry === undefined) continue
      entry.owners.set(metadata.name ?? "", isReady(object as ServiceCIDR))
      this.#entries.set(text, entry)
    }
  }

  #remove(object: KubeObject): void {
    const { metadata, spec } = object as ServiceCIDR
    for (const text of spec?.cidrs ?? []) {
      const entry = this.#entries.get(text)
      entry?.owners.delete(metadata.name ?? "")
      if (entry?.owners.size === 0) this.#entries.delete(text)
    }
  }
}

function newEntry(text: string): Entry | undefined {
  const range = parseIpv4Range(text)
  return range && { range, owners: new Map() }
}

/** A cluster without the controller has no condition, and works. */
function isReady({ metadata, status }: ServiceCIDR): boolean {
  const condition = status?.conditions?.find(({ type }) => type === "Ready")
  return metadata.deletionTimestamp === undefined && (condition === undefined || condition.status === "True")
}
