import { parseQuantity } from "@pilothouse/api"
import type { AllocationResult, ResourceClaim } from "@pilothouse/api/resource/v1"
import type { Change } from "@pilothouse/runtime"
import type { DevicesInUse } from "./allocate.ts"
import type { Capacities } from "./capacity.ts"
import { deviceId } from "./pools.ts"

interface Held {
  readonly allocation: AllocationResult
  /** Of the write, where the cache does not show it yet. */
  readonly assumedAt?: bigint
}

/**
 * The devices that claims have: as the cache shows them, and as the scheduler wrote them where the cache does not show it yet.
 * Invariant between calls: #taken and #shares have what the allocations in #held have, but for devices that are only looked at (adminAccess).
 */
export class ClaimAllocations implements DevicesInUse {
  /** By the uid of the claim. */
  readonly #held = new Map<string, Held>()
  /** How many claims have each device. */
  readonly #taken = new Map<string, number>()
  readonly #shares = new Map<string, Map<string, Capacities>>()

  restart(): void {
    this.#held.clear()
    this.#taken.clear()
    this.#shares.clear()
  }

  changed({ type, object }: Change<ResourceClaim>): void {
    const { uid = "", resourceVersion = "0" } = object.metadata
    const { allocation } = object.status ?? {}
    const known = this.#held.get(uid)
    // An older version than our own write: the write is still to come.
    if (type !== "deleted" && known?.assumedAt !== undefined && BigInt(resourceVersion) < known.assumedAt) return
    this.#drop(uid)
    if (type !== "deleted" && allocation !== undefined) this.#hold(uid, { allocation })
  }

  /** Counts what was written until the cache shows it. */
  assume({ metadata: { uid = "", resourceVersion = "0" }, status }: ResourceClaim): void {
    if (status?.allocation === undefined) return
    this.#drop(uid)
    this.#hold(uid, { allocation: status.allocation, assumedAt: BigInt(resourceVersion) })
  }

  /** Whether the claim was allocated by a write that the cache does not show yet. */
  isAssumed(uid: string): boolean {
    return this.#held.get(uid)?.assumedAt !== undefined
  }

  isTaken(id: string): boolean {
    return this.#taken.has(id)
  }

  shares(id: string): readonly Capacities[] {
    return [...(this.#shares.get(id)?.values() ?? [])]
  }

  #hold(uid: string, held: Held): void {
    this.#held.set(uid, held)
    for (const { adminAccess, shareID, consumedCapacity = {}, ...result } of held.allocation.devices?.results ?? []) {
      const id = deviceId(result)
      if (shareID !== undefined) {
        const shares = this.#shares.get(id) ?? new Map<string, Capacities>()
        this.#shares.set(id, shares)
        shares.set(`${uid} ${shareID}`, new Map(Object.entries(consumedCapacity).map(([name, amount]) => [name, parseQuantity(amount)])))
      } else if (!adminAccess) this.#taken.set(id, (this.#taken.get(id) ?? 0) + 1)
    }
  }

  #drop(uid: string): void {
    const held = this.#held.get(uid)
    if (held === undefined) return
    this.#held.delete(uid)
    for (const { adminAccess, shareID, ...result } of held.allocation.devices?.results ?? []) {
      const id = deviceId(result)
      if (shareID !== undefined) {
        const shares = this.#shares.get(id)
        shares?.delete(`${uid} ${shareID}`)
        if (shares?.size === 0) this.#shares.delete(id)
      } else if (!adminAccess) {
        const left = (this.#taken.get(id) ?? 1) - 1
        if (left === 0) this.#taken.delete(id)
        else this.#taken.set(id, left)
      }
    }
  }
}
