import { isPodReady, isPodTerminating } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import { BuiltIndex } from "@pilothouse/runtime"
import { podAddresses } from "../convert/endpoint.ts"

/**
 * Which pods are at an address. Host networking shares one address among many.
 *
 * Invariant: both say the same; a pod is in them exactly while it was last seen as a member with addresses.
 * So a late delete of an old pod cannot evict the new owner of its address: each pod takes away only itself.
 */
export class PodCache {
  readonly #membership: "active" | "ready"
  readonly #atAddress = new BuiltIndex()
  /** One address stands for itself: nearly every pod has just one. */
  readonly #addressesOf = new Map<string, string | readonly string[]>()

  constructor(membership: "active" | "ready") {
    this.#membership = membership
  }

  get size(): number {
    return this.#addressesOf.size
  }

  /** Keys of the pods at an address, in the order they came. */
  at(address: string): readonly string[] {
    return [...(this.#atAddress.keysOf(address) ?? [])]
  }

  keys(): Iterable<string> {
    return this.#addressesOf.keys()
  }

  addressesOf(key: string): readonly string[] {
    const known = this.#addressesOf.get(key) ?? []
    return typeof known === "string" ? [known] : known
  }

  /** Applies the state of a pod; undefined: it is gone. Gives the addresses that it came to or left. An evicted pod may have lost its address: the one remembered counts. */
  put(key: string, pod: Pod | undefined): readonly string[] {
    const before = this.addressesOf(key)
    const after = this.expected(pod)
    this.#atAddress.move(key, before, after)
    if (after.length === 0) this.#addressesOf.delete(key)
    else this.#addressesOf.set(key, after.length === 1 ? after[0]! : after)
    if (before.length === 0) return after
    const left = before.filter((address) => !after.includes(address))
    return [...left, ...after.filter((address) => !before.includes(address))]
  }

  /** The addresses that a pod is to be known by, as it is now; none where it is no member, or gone. */
  expected(pod: Pod | undefined): readonly string[] {
    return pod !== undefined && this.#isMember(pod) ? podAddresses(pod) : []
  }

  #isMember(pod: Pod): boolean {
    const { phase } = pod.status ?? {}
    if (phase !== "Pending" && phase !== "Running") return false
    return this.#membership === "active" || (isPodReady(pod) && !isPodTerminating(pod))
  }
}
