import { isPodTerminal, type KubeObject, parseTime, secondsInMilliseconds } from "@pilothouse/api"
import type { Namespace, Pod } from "@pilothouse/api/core/v1"
import type { Collection, Content } from "./observe.ts"

/** What is left in a namespace although it was told to go. */
export interface Remaining {
  /** "pods. has 1 resource instances", in order. */
  readonly resources: readonly string[]
  /** "example.com/held in 2 resource instances", in order. */
  readonly finalizers: readonly string[]
  /** Collections of which nobody knows why they are still there, in upstream's words. */
  readonly unexpected: readonly string[]
  /** Seconds until it may be gone; 0 when nothing is known of that. */
  readonly estimate: number
}

/** Who waits for a finalizer usually waits this many seconds. */
const finalizerEstimate = 15

/** Only what is on its way out: what is deleted for the first time now is not "remaining". */
export function remainingOf({ collections }: Content, namespace: Namespace, now: number): Remaining {
  const held = collections
    .map(({ of, items }) => ({ of, items: items.filter(isGoing), all: items }))
    .filter(({ items }) => items.length > 0)
  const counts = new Map<string, number>()
  for (const finalizer of held.flatMap(({ items }) => items.flatMap(({ metadata }) => metadata.finalizers ?? []))) {
    counts.set(finalizer, (counts.get(finalizer) ?? 0) + 1)
  }
  const estimates = held.map((collection) => estimateOf(collection, namespace, now))
  const unexpected = held.filter(({ items, all }, at) => estimates[at] === 0 && items.length === all.length)
  return {
    // The dot stands before the group, which the core group does not have: so upstream, and people search for it.
    resources: held.map(({ of, items }) => `${of.plural}.${of.group} has ${items.length} resource instances`).sort(),
    finalizers: [...counts].map(([finalizer, count]) => `${finalizer} in ${count} resource instances`).sort(),
    unexpected: unexpected.map(({ of }) => unexpectedItems(of, namespace)),
    estimate: Math.max(0, ...estimates),
  }
}

export function isGoing({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined
}

/** Milliseconds since the namespace was deleted. */
export function ageOf({ metadata }: Namespace, now: number): number {
  return Math.max(0, now - parseTime(metadata.deletionTimestamp ?? "1970-01-01T00:00:00Z"))
}

/** Pods get the longest of their grace periods, once; what has a finalizer gets a quarter of a minute again and again. */
function estimateOf({ of, items }: Collection, namespace: Namespace, now: number): number {
  const grace = of.group === "" && of.plural === "pods" ? Math.max(0, ...items.map((pod) => graceOf(pod as Pod))) : 0
  if (grace * 1000 > ageOf(namespace, now)) return grace
  return items.some(({ metadata }) => (metadata.finalizers ?? []).length > 0) ? finalizerEstimate : 0
}

function graceOf(pod: Pod): number {
  return isPodTerminal(pod) ? 0 : secondsInMilliseconds(pod.spec?.terminationGracePeriodSeconds ?? 0) / 1000
}

function unexpectedItems({ group, version, plural }: Collection["of"], { metadata }: Namespace): string {
  return `unexpected items still remain in namespace: ${metadata.name} for gvr: ${group}/${version}, Resource=${plural}`
}
