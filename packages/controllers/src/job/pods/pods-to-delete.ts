import { findCondition, isPodReady, parseTime } from "@pilothouse/api"
import type { Job } from "@pilothouse/api/batch/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import { isIndexed, validIndex } from "./completion-index.ts"

/**
 * Returns the active pods to delete: at least `atLeast`, those with the least progress first. For an Indexed Job also all pods that cannot count:
 * without an index, with one beyond the completions, or with one that a more advanced pod has.
 */
export function podsToDelete(job: Job, active: readonly Pod[], atLeast: number): readonly Pod[] {
  const useless = isIndexed(job) ? uselessPods(job, active) : []
  if (useless.length >= atLeast) return useless
  const gone = new Set(useless)
  const rest = active.filter((pod) => !gone.has(pod)).sort(leastProgressFirst)
  return [...useless, ...rest.slice(0, atLeast - useless.length)]
}

function uselessPods(job: Job, active: readonly Pod[]): readonly Pod[] {
  const byIndex = new Map<number | undefined, Pod[]>()
  for (const pod of active) {
    const index = validIndex(pod, job)
    byIndex.set(index, [...(byIndex.get(index) ?? []), pod])
  }
  return [...byIndex].flatMap(([index, pods]) => (index === undefined ? pods : pods.sort(leastProgressFirst).slice(0, -1)))
}

const phaseRank: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 }

/** The first difference decides; negative means that the first of the two is deleted first. */
function leastProgressFirst(a: Pod, b: Pod): number {
  return (
    Number(isAssigned(a)) - Number(isAssigned(b)) ||
    rankOf(a) - rankOf(b) ||
    Number(isPodReady(a)) - Number(isPodReady(b)) ||
    (isPodReady(a) ? newestFirst(readySince(a), readySince(b)) : 0) ||
    mostRestarts(b) - mostRestarts(a) ||
    newestFirst(timeOf(a.metadata.creationTimestamp), timeOf(b.metadata.creationTimestamp))
  )
}

function isAssigned({ spec }: Pod): boolean {
  return Boolean(spec?.nodeName)
}

function rankOf({ status }: Pod): number {
  return phaseRank[status?.phase ?? ""] ?? 0
}

function mostRestarts({ status }: Pod): number {
  return Math.max(0, ...(status?.containerStatuses ?? []).map(({ restartCount }) => restartCount))
}

function readySince({ status }: Pod): number {
  return timeOf(findCondition(status?.conditions, "Ready")?.lastTransitionTime)
}

/** An unknown time counts as the newest. */
function timeOf(text: string | null | undefined): number {
  return text ? parseTime(text) : Number.MAX_SAFE_INTEGER
}

function newestFirst(a: number, b: number): number {
  return b - a
}
