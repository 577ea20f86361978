import { type Descriptor, type KubeObject, quotaNamesFor, resourceNameOf } from "@pilothouse/api"
import { type ResourceQuota, resourceQuotas } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"

/** The objects of one resource in the quota's namespace. */
export interface Collection {
  readonly of: Descriptor
  /** The names in spec.hard that it is counted under; never empty. */
  readonly names: readonly string[]
  readonly objects: readonly KubeObject[]
}

export interface Observed {
  readonly quota: ResourceQuota
  readonly collections: readonly Collection[]
  /** Resources whose objects cannot all be seen: "widgets.example.com". */
  readonly unseen: readonly string[]
}

/** Whatever somebody can make in a namespace. Events come and go by themselves. */
export function isCounted({ group, plural, namespaced, verbs }: Descriptor): boolean {
  const isEvents = plural === "events" && (group === "" || group === "events.k8s.io")
  return namespaced && !isEvents && ["create", "delete"].every((verb) => verbs.includes(verb))
}

export function observe(key: string, read: Reader): Observed | undefined {
  const quota = read.get(resourceQuotas, key)
  if (quota === undefined) return undefined
  const hard = Object.keys(quota.spec?.hard ?? {})
  const counted = read.kinds().map((kind) => ({ of: kind.of, hasSynced: kind.hasSynced, names: quotaNamesFor(kind.of, hard) }))
  const concerned = counted.filter(({ names }) => names.length > 0)
  const seen = concerned.filter(({ hasSynced }) => hasSynced)
  return {
    quota,
    collections: seen.map(({ of, names }) => ({ of, names, objects: read.list(of, quota.metadata.namespace) })),
    unseen: concerned.filter(({ hasSynced }) => !hasSynced).map(({ of }) => resourceNameOf(of)),
  }
}
