import { type Descriptor, type KubeObject, keyOf } from "@pilothouse/api"
import { persistentVolumeClaims, pods, type ResourceQuota, resourceQuotas, services } from "@pilothouse/api/core/v1"
import { type CacheObserver, cacheObserver, type Reader } from "@pilothouse/runtime"
import { IncrementalUsage } from "./incremental-usage.ts"

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
