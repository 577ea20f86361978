import {
  amountOf,
  type Descriptor,
  type DeviceFacts,
  isDeviceClaim,
  type KubeObject,
  noDeviceFacts,
  quotaNamesFor,
  type Resources,
  resourceNameOf,
  zeroAmount,
} from "@pilothouse/api"
import { type ResourceQuota, resourceQuotas } from "@pilothouse/api/core/v1"
import type { Reader } from "@pilothouse/runtime"
import { classesFor, deviceClassesIn, deviceFactsOf } from "./devices.ts"
import type { Ledger } from "./usage-cache.ts"

/** What one resource uses in the quota's namespace. */
export interface Collection {
  readonly of: Descriptor
  /** The names in spec.hard that it is counted under; never empty. */
  readonly names: readonly string[]
  /** What is counted already, of those in the quota's scopes. */
  readonly standing: Resources
  /** What is counted beside that: objects whose usage is a matter of the time, or of other objects. */
  readonly objects: readonly KubeObject[]
}

export interface Observed {
  readonly quota: ResourceQuota
  readonly collections: readonly Collection[]
  /** Resources whose objects cannot all be seen: "widgets.example.com". */
  readonly unseen: readonly string[]
  /** What claims of devices do not say by themselves. */
  readonly devices: DeviceFacts
}

/** Whatever somebody can make in a namespace. Events come and go by themselves. */
export function isCounted({ group, plural, namespaced, verbs }: Descriptor): boolean {
  const isEvents = plural === "events" && (group === "" || group === "events.k8s.io")
  return namespaced && !isEvents && ["create", "delete"].every((verb) => verbs.includes(verb))
}

export function observe(key: string, read: Reader, ledger: Ledger): Observed | undefined {
  const quota = read.get(resourceQuotas, key)
  if (quota === undefined) return undefined
  const kinds = kindsUnder(Object.keys(quota.spec?.hard ?? {}), read)
  const unseen = kinds.filter(({ hasSynced }) => !hasSynced)
  // What pods and claims of devices are counted under together is not known if one of them is not.
  const unknown = new Set(unseen.flatMap(({ names }) => names))
  const collections = kinds
    .filter(({ hasSynced }) => hasSynced)
    .map(({ of, names }) => ({ of, names: names.filter((name) => !unknown.has(name)) }))
    .filter(({ names }) => names.length > 0)
    .map((kind): Collection => ({ ...kind, ...counted(kind, quota, read, ledger) }))
  const claims = collections.find(({ of }) => isDeviceClaim(of))
  const devices = claims === undefined ? noDeviceFacts : deviceFactsOf(claims.objects, classesFor(claims.of, read), read)
  return { quota, collections, unseen: unseen.map(({ of }) => resourceNameOf(of)), devices }
}

function counted({ of, names }: Pick<Collection, "of" | "names">, quota: ResourceQuota, read: Reader, ledger: Ledger) {
  const { namespace } = quota.metadata
  if (isDeviceClaim(of)) return { standing: new Map(), objects: read.list(of, namespace) }
  // Asked also where the usage is kept, and this is not used: so the trace says how many objects a quota was decided by.
  const number = read.count(of, namespace)
  const usage = ledger.usageOf(of, quota, read)
  if (usage !== undefined) return usage.under(names)
  // Of everything else only the number counts, and none of it is in any scope.
  const amount = hasScopes(quota) ? zeroAmount : amountOf(number)
  return { standing: new Map(names.map((name) => [name, amount])), objects: [] }
}

function hasScopes({ spec }: ResourceQuota): boolean {
  return (spec?.scopes ?? []).length + (spec?.scopeSelector?.matchExpressions ?? []).length > 0
}

/** The resources that are counted under some of a quota's names. Claims of devices are not seen before their classes are. */
function kindsUnder(hard: readonly string[], read: Reader) {
  const classesSynced = deviceClassesIn(read)?.hasSynced ?? true
  const counted = read.kinds().filter(({ of }) => isCounted(of))
  return counted
    .map(({ of, hasSynced }) => ({
      of,
      hasSynced: hasSynced && (classesSynced || !isDeviceClaim(of)),
      names: quotaNamesFor(of, hard, classesFor(of, read)),
    }))
    .filter(({ names }) => names.length > 0)
}
