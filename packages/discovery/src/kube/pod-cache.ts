import { isPodReady, isPodTerminal, isPodTerminating } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import { podAddresses } from "./convert/endpoint.ts"

/**
 * Which pods are at an address. Host networking shares one address among many.
 *
 * Always true between calls: the two maps say the same; a pod is in them exactly while it was last seen as a member with addresses;
 * no set is empty. So a late delete of an old pod cannot evict the new owner of its address: each pod takes away only itself.
 */
export class PodCache {
  readonly #membership: "active" | "ready"
  readonly #atAddress = new Map<string, Set<string>>()
  readonly #addressesOf = new Map<string, readonly string[]>()

  constructor(membership: "active" | "ready") {
    this.#membership = membership
  }

  get size(): number {
    return this.#addressesOf.size
  }

  /** Keys of the pods at an address, in the order they came. */
  at(address: string): readonly string[] {
    return [...(this.#atAddress.get(address) ?? [])]
  }

  addressesOf(key: string): readonly string[] {
    return this.#addressesOf.get(key) ?? []
  }

  /** Takes in what a pod is now; undefined: it is gone. Gives the addresses that it came to or left. An evicted pod may have lost its address: the one remembered counts. */
  put(key: string, pod: Pod | undefined): readonly string[] {
    const before = this.addressesOf(key)
    const after = pod !== undefined && this.#isMember(pod) ? podAddresses(pod) : []
    const left = before.filter((address) => !after.includes(address))
    const came = after.filter((address) => !before.includes(address))
    for (const address of left) this.#leave(address, key)
    for (const address of came) this.#come(address, key)
    if (after.length === 0) this.#addressesOf.delete(key)
    else this.#addressesOf.set(key, after)
    return before.length === 0 ? after : [...left, ...came]
  }

  #isMember(pod: Pod): boolean {
    if (this.#membership === "active") return !isPodTerminal(pod)
    return isPodReady(pod) && !isPodTerminal(pod) && !isPodTerminating(pod)
  }

  #come(address: string, key: string): void {
    const there = this.#atAddress.get(address)
    if (there === undefined) this.#atAddress.set(address, new Set([key]))
    else there.add(key)
  }

  #leave(address: string, key: string): void {
    const there = this.#atAddress.get(address)
    there?.delete(key)
    if (there?.size === 0) this.#atAddress.delete(address)
  }
}
