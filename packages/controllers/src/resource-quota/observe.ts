import {
  amountOf,
  type Descriptor,
  type DeviceFacts,
  isDeviceClaim,
  type KubeObject,
  noDeviceFacts,
  quotaNamesFor,
  type ResourceList,
  type Resources,
  resourceNameOf,
  zeroAmount,
} from "@pilothouse/api"
import { customResourceDefinitions } from "@pilothouse/api/apiextensions/v1"
import { type ResourceQuota, resourceQuotas } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"
import { classesFor, discoveredDeviceClasses, readDeviceFacts } from "./devices.ts"
import type { UsageCache } from "./usage-cache.ts"

/** What one resource uses in the quota's namespace. */
export interface Collection {
  readonly of: Descriptor
  /** The names in spec.hard that it is counted under; never empty. */
  readonly names: readonly string[]
  /** The usage that is counted already, within the quota's scopes. */
  readonly accumulated: Resources
  /** Objects that are counted in addition: their usage depends on the time or on other objects. */
  readonly objects: readonly KubeObject[]
}

export interface Observed {
  readonly quota: ResourceQuota
  readonly collections: readonly Collection[]
  /** Resources whose cache has not synced: "widgets.example.com". */
  readonly unsynced: readonly string[]
  /** What device claims do not contain themselves. */
  readonly devices: DeviceFacts
}

/** Reports whether objects of the resource count: everything that a client can create in a namespace, except Events. */
export function isCounted({ group, plural, namespaced, verbs }: Descriptor): boolean {
  const isEvents = plural === "events" && (group === "" || group === "events.k8s.io")
  return namespaced && !isEvents && ["create", "delete"].every((verb) => verbs.includes(verb))
}

/** Definitions are not counted, but each is a kind that counts from then on. */
export function isDefinitions({ group, plural }: Pick<Descriptor, "group" | "plural">): boolean {
  return group === customResourceDefinitions.group && plural === customResourceDefinitions.plural
}

/** Reads a quota and the usage of its resources; names of kinds whose caches have not synced stay unknown. */
export function observe(key: string, read: Reader, usages: UsageCache): Observed | undefined {
  const quota = read.get(resourceQuotas, key)
  if (quota === undefined) return undefined
  const kinds = kindsUnder(quota.spec?.hard ?? {}, read)
  const unsynced = kinds.filter(({ hasSynced }) => !hasSynced)
  // A name that pods and device claims share is unknown while one of them is.
  const unknown = new Set(unsynced.flatMap(({ names }) => names))
  const collections = kinds
    .filter(({ hasSynced }) => hasSynced)
    .map(({ of, names }) => ({ of, names: names.filter((name) => !unknown.has(name)) }))
    .filter(({ names }) => names.length > 0)
    .map((kind): Collection => ({ ...kind, ...counted(kind, quota, read, usages) }))
  const claims = collections.find(({ of }) => isDeviceClaim(of))
  const devices = claims === undefined ? noDeviceFacts : readDeviceFacts(claims.objects, classesFor(claims.of, read), read)
  return { quota, collections, unsynced: unsynced.map(({ of }) => resourceNameOf(of)), devices }
}

function counted({ of, names }: Pick<Collection, "of" | "names">, quota: ResourceQuota, read: Reader, usages: UsageCache) {
  const { namespace } = quota.metadata
  if (isDeviceClaim(of)) return { accumulated: new Map(), objects: read.list(of, namespace) }
  // Read even where the usage is accumulated, so that the trace shows how many objects the decision is based on.
  const number = read.count(of, namespace)
  const usage = usages.usage(of, quota, read)
  if (usage !== undefined) return usage.under(names)
  // Of everything else only the number counts, and none of it is in any scope.
  const amount = hasScopes(quota) ? zeroAmount : amountOf(number)
  return { accumulated: new Map(names.map((name) => [name, amount])), objects: [] }
}

function hasScopes({ spec }: ResourceQuota): boolean {
  return (spec?.scopes ?? []).length + (spec?.scopeSelector?.matchExpressions ?? []).length > 0
}

/** Returns the resources that count under some of a quota's names. Device claims require synced device classes. */
function kindsUnder(hard: ResourceList, read: Reader) {
  const classesSynced = discoveredDeviceClasses(read)?.hasSynced ?? true
  const counted = read.kinds().filter(({ of }) => isCounted(of))
  return counted
    .map(({ of, hasSynced }) => ({
      of,
      hasSynced: hasSynced && (classesSynced || !isDeviceClaim(of)),
      names: quotaNamesFor(of, hard, classesFor(of, read)),
    }))
    .filter(({ names }) => names.length > 0)
}
