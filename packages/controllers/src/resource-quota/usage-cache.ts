import { type Descriptor, type KubeObject, keyOf } from "@pilothouse/api"
import { persistentVolumeClaims, pods, type ResourceQuota, resourceQuotas, services } from "@pilothouse/api/core/v1"
import { type CacheObserver, cacheObserver, type Reader } from "@pilothouse/runtime"
import { StandingUsage } from "./incremental-usage.ts"

/**
 * The usages of all quotas that were looked at, of each kind of which more is asked than how many there are, kept in step with the caches.
 * Always true between calls: every usage has been told what the cache of its kind has. While nobody tells it anything it keeps none.
 */
export class Ledger {
  /** By kind, by namespace, by the name of the quota. */
  readonly #usages = new Map<Descriptor, Map<string, Map<string, StandingUsage>>>()
  readonly #kinds: readonly Descriptor[] = [pods, services, persistentVolumeClaims]

  /** Undefined: of this kind only the number counts, or more than the objects themselves. */
  usageOf(of: Descriptor, quota: ResourceQuota, read: Reader): StandingUsage | undefined {
    const kind = this.#kinds.find(({ group, plural }) => group === of.group && plural === of.plural)
    if (kind === undefined) return undefined
    const { name = "", namespace = "" } = quota.metadata
    const known = this.#usages.get(kind)?.get(namespace)?.get(name)
    if (known?.isFor(quota)) return known
    const made = new StandingUsage(kind, quota)
    for (const object of read.list(kind, namespace)) made.tell(keyOf(object), object)
    this.#keep(kind, quota, made)
    return made
  }

  followers(): readonly CacheObserver[] {
    const forget = cacheObserver(resourceQuotas, {
      restart: () => {},
      changed: (change) => {
        if (change.type === "deleted") this.#forget(change.object)
      },
    })
    return [forget, ...this.#kinds.map((kind) => this.#follow(kind))]
  }

  #follow(kind: Descriptor): CacheObserver {
    return cacheObserver(kind, {
      restart: () => this.#usages.set(kind, new Map()),
      changed: ({ type, object }) => this.#tell(kind, keyOf(object), object, type === "deleted"),
    })
  }

  #tell(kind: Descriptor, key: string, object: KubeObject, isGone: boolean): void {
    const concerned = this.#usages.get(kind)?.get(object.metadata.namespace ?? "")
    if (concerned === undefined) return
    for (const usage of concerned.values()) usage.tell(key, isGone ? undefined : object)
  }

  #keep(kind: Descriptor, { metadata }: ResourceQuota, usage: StandingUsage): void {
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
