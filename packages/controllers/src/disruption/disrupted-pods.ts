import { isPodReady, parseTime } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import type { PodDisruptionBudget } from "@pilothouse/api/policy/v1"

/** So long an eviction that was granted may take to show as a deletion; then it is taken not to come. */
export const deletionTimeout = 120_000

export interface Disrupted {
  /** Evictions that were granted and do not show in the pod yet: by the pod's name, with the time. */
  readonly pods: Readonly<Record<string, string>>
  /** Pods that were to go and did not. */
  readonly notDeleted: readonly Pod[]
  /** When the first of the evictions is given up. */
  readonly recheckAt?: number
}

/** What is left of the evictions that the API server noted: those of pods that are still there and not on their way out. */
export function disruptedPods({ status }: PodDisruptionBudget, pods: readonly Pod[], now: number): Disrupted {
  const pending: Record<string, string> = {}
  const notDeleted: Pod[] = []
  let recheckAt: number | undefined
  for (const pod of pods) {
    const { name = "", deletionTimestamp } = pod.metadata
    const evicted = status?.disruptedPods?.[name]
    if (evicted === undefined || deletionTimestamp !== undefined) continue
    const expires = parseTime(evicted) + deletionTimeout
    if (expires < now) notDeleted.push(pod)
    else {
      pending[name] = evicted
      recheckAt = Math.min(recheckAt ?? expires, expires)
    }
  }
  return { pods: pending, notDeleted, recheckAt }
}

export function healthyPods(pods: readonly Pod[], disrupted: Disrupted["pods"], now: number): number {
  const isTerminating = ({ metadata: { name = "", deletionTimestamp } }: Pod) =>
    deletionTimestamp !== undefined || (disrupted[name] !== undefined && parseTime(disrupted[name]) + deletionTimeout > now)
  return pods.filter((pod) => !isTerminating(pod) && isPodReady(pod)).length
}
