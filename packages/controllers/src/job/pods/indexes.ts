import { isPodTerminating } from "@pilothouse/api"
import type { Job } from "@pilothouse/api/batch/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import { completionCount, completionIndex, validIndex } from "./completion-index.ts"
import { failsItsIndex, hasLimitPerIndex, laterFailure } from "./index-failures.ts"
import { firstMissing, includesIndex, mergeRanges, parseRanges, type Ranges, rangesOf } from "./index-ranges.ts"
import { hasPodFailed, hasPodSucceeded, replacesOnlyFailed } from "./pod-outcome.ts"
import { isTracked } from "./tracking-finalizer.ts"

/** The state of the indexes of an Indexed Job. */
export interface Indexes {
  /** As the status has it. */
  readonly succeededBefore: Ranges
  readonly succeeded: Ranges
  /** Only with a backoff limit per index. */
  readonly failed?: Ranges
  /** By index, the failed pod that is retained until its replacement has its failure count. */
  readonly retained: ReadonlyMap<number, Pod>
}

/** Returns which indexes of an Indexed Job have succeeded and failed, before this sync and with its pods. */
export function readIndexes(job: Job, pods: readonly Pod[], active: readonly Pod[]): Indexes {
  const { completedIndexes, failedIndexes } = job.status ?? {}
  const completions = completionCount(job)
  const fresh = (which: (pod: Pod) => boolean) =>
    rangesOf(pods.filter((pod) => isTracked(pod) && which(pod)).flatMap((pod) => validIndex(pod, job) ?? []))
  const succeededBefore = parseRanges(completedIndexes, completions)
  const succeeded = mergeRanges(succeededBefore, fresh(hasPodSucceeded))
  if (!hasLimitPerIndex(job)) return { succeededBefore, succeeded, retained: new Map() }
  const failed = mergeRanges(
    parseRanges(failedIndexes, completions),
    fresh((pod) => failsItsIndex(pod, job)),
  )
  const decided = mergeRanges(succeeded, failed, presentIndexes(active))
  return { succeededBefore, succeeded, failed, retained: retainedPods(job, pods, decided) }
}

/** Returns the lowest indexes without a pod. */
export function pendingIndexes(
  job: Job,
  { succeeded, failed = [] }: Indexes,
  pods: readonly Pod[],
  active: readonly Pod[],
  count: number,
): readonly number[] {
  const ending = replacesOnlyFailed(job) ? presentIndexes(pods.filter(isPodTerminating)) : []
  return firstMissing(mergeRanges(succeeded, failed, presentIndexes(active), ending), count, completionCount(job))
}

function presentIndexes(pods: readonly Pod[]): Ranges {
  return rangesOf(pods.flatMap((pod) => completionIndex(pod) ?? []))
}

/** Returns the failed pods to retain. A decided index, or one with an active pod, does not need its failed pod for the failure count. */
function retainedPods(job: Job, pods: readonly Pod[], decided: Ranges): ReadonlyMap<number, Pod> {
  const kept = new Map<number, Pod>()
  for (const pod of pods) {
    const index = validIndex(pod, job)
    if (index === undefined || !isTracked(pod) || !hasPodFailed(pod, job) || includesIndex(decided, index)) continue
    kept.set(index, laterFailure(kept.get(index), pod))
  }
  return kept
}
