import { isPodActive, isPodReady, isPodTerminating } from "@pilothouse/api"
import type { Job } from "@pilothouse/api/batch/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import { hasValidIndex, isIndexed } from "./pods/completion-index.ts"
import { judgeFailure } from "./pods/failure-policy.ts"
import { countIndexes } from "./pods/index-ranges.ts"
import { type Indexes, readIndexes } from "./pods/indexes.ts"
import { hasPodFailed, hasPodSucceeded } from "./pods/pod-outcome.ts"
import { isTracked } from "./pods/tracking-finalizer.ts"

/** The current numbers of the Job, whether or not its status has them. */
export interface Tally {
  readonly active: readonly Pod[]
  readonly ready: number
  readonly terminating: number
  readonly succeeded: number
  readonly failed: number
  readonly indexes?: Indexes
}

/** Counts each pod once: in the counters of the status, in its uncounted pods, or as a pod that is still tracked. */
export function tallyPods(job: Job, pods: readonly Pod[]): Tally {
  const { succeeded = 0, failed = 0, uncountedTerminatedPods: uncounted = {} } = job.status ?? {}
  const active = pods.filter(isPodActive)
  const known = new Set([...(uncounted.succeeded ?? []), ...(uncounted.failed ?? [])])
  const fresh = pods.filter((pod) => isTracked(pod) && !known.has(pod.metadata.uid ?? "") && hasValidIndex(pod, job))
  const indexes = isIndexed(job) ? readIndexes(job, pods, active) : undefined
  const failures = fresh.filter((pod) => hasPodFailed(pod, job) && judgeFailure(job, pod).counts)
  return {
    active,
    ready: active.filter(isPodReady).length,
    terminating: pods.filter(isPodTerminating).length,
    succeeded: indexes
      ? countIndexes(indexes.succeeded)
      : succeeded + (uncounted.succeeded?.length ?? 0) + fresh.filter(hasPodSucceeded).length,
    failed: failed + (uncounted.failed?.length ?? 0) + failures.length,
    indexes,
  }
}
