import { isPodTerminal, type KubeObject, parseTime, secondsInMilliseconds } from "@pilothouse/api"
import type { Namespace, Pod } from "@pilothouse/api/core/v1"
import type { Collection, Content } from "./observe.ts"

/** What is left in a namespace although it was deleted. */
export interface Remaining {
  /** "pods. has 1 resource instances", in order. */
  readonly resources: readonly string[]
  /** "example.com/held in 2 resource instances", in order. */
  readonly finalizers: readonly string[]
  /** Collections that remain without a known cause, in upstream's words. */
  readonly unexpected: readonly string[]
  /** Estimated seconds until it is gone; 0 when unknown. */
  readonly estimate: number
}

/** Estimated seconds until a finalizer is removed. */
const finalizerEstimate = 15

/** Includes only terminating objects: what is deleted for the first time now is not "remaining". */
export function remainingContent({ collections }: Content, namespace: Namespace, now: number): Remaining {
  const held = collections
    .map(({ of, items }) => ({ of, items: items.filter(isTerminating), all: items }))
    .filter(({ items }) => items.length > 0)
  const counts = new Map<string, number>()
  for (const finalizer of held.flatMap(({ items }) => items.flatMap(({ metadata }) => metadata.finalizers ?? []))) {
    counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1)
  }
  const estimates = held.map((collection) => estimateSeconds(collection, namespace, now))
  const unexpected = held.filter(({ items, all }, at) => estimates[at] === 0 && items.length === all.length)
  return {
    // The dot precedes the group, which is empty for the core group: upstream's form, which users search for.
    resources: held.map(({ of, items }) => `${of.plural}.${of.group} has ${items.length} resource instances`).sort(),
    finalizers: [...counts].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`).sort(),
    unexpected: unexpected.map(({ of }) => unexpectedItems(of, namespace)),
    estimate: Math.max(0, ...estimates),
  }
}

export function isTerminating({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined
}

/** Milliseconds since the namespace was deleted. */
export function deletionAge({ metadata }: Namespace, now: number): number {
  return Math.max(0, now - parseTime(metadata.deletionTimestamp ?? "1970-01-01T00:00:00Z"))
}

/** Pods get the longest of their grace periods, once; objects with finalizers get finalizerEstimate repeatedly. */
function estimateSeconds({ of, items }: Collection, namespace: Namespace, now: number): number {
  const grace = of.group === "" && of.plural === "pods" ? Math.max(0, ...items.map((pod) => gracePeriod(pod as Pod))) : 0
  if (grace * 1000 > deletionAge(namespace, now)) return grace
  return items.some(({ metadata }) => (metadata.finalizers ?? []).length > 0) ? finalizerEstimate : 0
}

function gracePeriod(pod: Pod): number {
  return isPodTerminal(pod) ? 0 : secondsInMilliseconds(pod.spec?.terminationGracePeriodSeconds ?? 0) / 1000
}

function unexpectedItems({ group, version, plural }: Collection["of"], { metadata }: Namespace): string {
  return `unexpected items still remain in namespace: ${metadata.name} for gvr: ${group}/${version}, Resource=${plural}`
}
