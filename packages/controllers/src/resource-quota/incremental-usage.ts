import {
  type Amount,
  addAmounts,
  deepEqual,
  isInQuotaScopes,
  isZeroAmount,
  type KubeObject,
  quotaUsage,
  type Resources,
  subtractAmounts,
  zeroAmount,
} from "@pilothouse/api"
import type { ResourceQuota } from "@pilothouse/api/core/v1"

type Kind = Parameters<typeof quotaUsage>[0]

/** The usage that is accumulated here does not depend on the time. */
const anyTime = 0

/**
 * The usage of one quota by the objects of one kind, updated one object at a time: a namespace of a thousand pods is not recounted for each change.
 * Updates are applied when the usage is read: a kubelet writes the status of a pod many times between two reconciles of its quota.
 * Terminating objects are deferred, because a pod stops counting at a certain time. So are objects that cannot be counted: the reconcile reports why.
 * Invariant: the sum is that of the counted objects; of the applied objects, those in the quota's scopes are counted or deferred;
 * a pending object exists now or existed at the last read, so that an unread quota does not accumulate the names of deleted objects.
 */
export class IncrementalUsage {
  readonly #kind: Kind
  readonly #quota: ResourceQuota
  readonly #pending = new Map<string, KubeObject | undefined>()
  readonly #sum = new Map<string, Amount>()
  readonly #counted = new Map<string, Resources>()
  readonly #deferred = new Map<string, KubeObject>()

  constructor(kind: Kind, quota: ResourceQuota) {
    this.#kind = kind
    this.#quota = quota
  }

  /** Whether the quota has the same scopes. */
  isFor({ spec }: ResourceQuota): boolean {
    const { scopes, scopeSelector } = this.#quota.spec ?? {}
    return deepEqual(scopes, spec?.scopes) && deepEqual(scopeSelector, spec?.scopeSelector)
  }

  /** Records the current object of a key; undefined when it is deleted. */
  update(key: string, object: KubeObject | undefined): void {
    if (object === undefined && !this.#counted.has(key) && !this.#deferred.has(key)) this.#pending.delete(key)
    else this.#pending.set(key, object)
  }

  /** The number of objects with pending updates. */
  get pendingCount(): number {
    return this.#pending.size
  }

  /** Returns the usage under these names, zero without any, and the deferred objects, which have to be counted at the current time. */
  under(names: readonly string[]): { readonly accumulated: Resources; readonly objects: readonly KubeObject[] } {
    for (const [key, object] of this.#pending) this.#applyChange(key, object)
    this.#pending.clear()
    return { accumulated: new Map(names.map((name) => [name, this.#sum.get(name) ?? zeroAmount])), objects: [...this.#deferred.values()] }
  }

  #applyChange(key: string, object: KubeObject | undefined): void {
    this.#remove(key)
    if (object === undefined) return
    try {
      if (isInQuotaScopes(this.#quota, this.#kind, object)) this.#add(key, object)
    } catch {
      this.#deferred.set(key, object)
    }
  }

  #add(key: string, object: KubeObject): void {
    if (object.metadata.deletionTimestamp !== undefined) {
      this.#deferred.set(key, object)
      return
    }
    const usage = quotaUsage(this.#kind, object, anyTime)
    for (const [name, amount] of usage) this.#change(name, addAmounts(this.#sum.get(name) ?? zeroAmount, amount))
    this.#counted.set(key, usage)
  }

  #remove(key: string): void {
    this.#deferred.delete(key)
    const usage = this.#counted.get(key)
    if (usage === undefined) return
    for (const [name, amount] of usage) this.#change(name, subtractAmounts(this.#sum.get(name) ?? zeroAmount, amount))
    this.#counted.delete(key)
  }

  /** Deletes zero sums: names of storage classes come and go. */
  #change(name: string, sum: Amount): void {
    if (isZeroAmount(sum)) this.#sum.delete(name)
    else this.#sum.set(name, sum)
  }
}
