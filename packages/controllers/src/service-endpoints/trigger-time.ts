import { findCondition, formatTime, parseTime } from "@pilothouse/api"
import type { Pod, Service } from "@pilothouse/api/core/v1"
import { smallestOf } from "@pilothouse/seams"

/** When the change happened that made the endpoints change: kube-proxy measures from it how long programming the network took. */
export const triggerTimeAnnotation = "endpoints.kubernetes.io/last-change-trigger-time"

/**
 * For the first endpoints of a Service the time it was made; afterwards the earliest change of readiness among the pods whose endpoint is new or
 * different. Undefined when no pod is: one that is gone leaves no time behind.
 */
export function triggerTime(service: Service, first: boolean, changed: readonly Pod[]): string | undefined {
  if (first) return service.metadata.creationTimestamp
  const times = changed.flatMap((pod) => findCondition(pod.status?.conditions, "Ready")?.lastTransitionTime ?? [])
  return times.length === 0 ? undefined : formatTime(smallestOf(times.map(parseTime)))
}

type Annotations = Readonly<Record<string, string>>

/** Sets annotations, and takes those away whose value is undefined; the others stay. Undefined when none is left. */
export function withAnnotations(
  annotations: Annotations | undefined,
  changes: Readonly<Record<string, string | undefined>>,
): Annotations | undefined {
  const merged = Object.entries({ ...annotations, ...changes }).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return merged.length === 0 ? undefined : Object.fromEntries(merged)
}
