import {
  type Amount,
  addAmounts,
  type Descriptor,
  deepEqual,
  isInQuotaScopes,
  isZeroAmount,
  type KubeObject,
  keyOf,
  quotaUsage,
  type Resources,
  subtractAmounts,
  zeroAmount,
} from "@pilothouse/api"
import { persistentVolumeClaims, pods, type ResourceQuota, resourceQuotas, services } from "@pilothouse/api/core/v1"
import { type CacheObserver, cacheObserver, type Reader } from "@pilothouse/runtime"

/**
 * The usages of all reconciled quotas, for each kind of which more than the number counts, updated from the caches.
 * Invariant: every usage has received all changes of the cache of its kind. Before the first restart of a kind's observer it stores none.
 */
export class UsageCache {
  /** By kind, by namespace, by the name of the quota. */
  readonly #usages = new Map<Descriptor, Map<string, Map<string, IncrementalUsage>>>()
  readonly #kinds: readonly Descriptor[] = [pods, services, persistentVolumeClaims]

  /** Returns undefined for kinds of which only the number counts, or whose usage depends on other objects. */
  usage(of: Descriptor, quota: ResourceQuota, read: Reader): IncrementalUsage | undefined {
    const kind = this.#kinds.find(({ group, plural }) => group === of.group && plural === of.plural)
    if (kind === undefined) return undefined
    const { name = "", namespace = "" } = quota.metadata
    const known = this.#usages.get(kind)?.get(namespace)?.get(name)
    if (known?.isFor(quota)) return known
    const made = new IncrementalUsage(kind, quota)
    for (const object of read.list(kind, namespace)) made.update(keyOf(object), object)
    this.#store(kind, quota, made)
    return made
  }

  cacheObservers(): readonly CacheObserver[] {
    const forget = cacheObserver(resourceQuotas, {
      restart: () => {},
      changed: (change) => {
        if (change.type === "deleted") this.#forget(change.object)
      },
    })
    return [forget, ...this.#kinds.map((kind) => this.#observe(kind))]
  }

  #observe(kind: Descriptor): CacheObserver {
    return cacheObserver(kind, {
      restart: () => this.#usages.set(kind, new Map()),
      changed: ({ type, object }) => this.#update(kind, keyOf(object), object, type === "deleted"),
    })
  }

  #update(kind: Descriptor, key: string, object: KubeObject, isGone: boolean): void {
    const concerned = this.#usages.get(kind)?.get(object.metadata.namespace ?? "")
    if (concerned === undefined) return
    for (const usage of concerned.values()) usage.update(key, isGone ? undefined : object)
  }

  #store(kind: Descriptor, { metadata }: ResourceQuota, usage: IncrementalUsage): void {
    const { name = "", namespace = "" } = metadata
    const byNamespace = this.#usages.get(kind)
    const known = byNamespace?.get(namespace)
    if (known === undefined) byNamespace?.set(namespace, new Map([[name, usage]]))
    else known.set(name, usage)
  }

  #forget({ metadata }: ResourceQuota): void {
    const { name = "", namespace = "" } = metadata
    for (const byNamespace of this.#usages.values()) {
      const known = byNamespace.get(namespace)
      known?.delete(name)
      if (known?.size === 0) byNamespace.delete(namespace)
    }
  }
}

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
