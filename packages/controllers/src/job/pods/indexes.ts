import { isPodTerminating } from "@pilothouse/api"
import type { Job } from "@pilothouse/api/batch/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import { completionIndex, completionsOf, validIndex } from "./completion-index.ts"
import { failsItsIndex, hasLimitPerIndex, laterFailure } from "./index-failures.ts"
import { firstMissing, includesIndex, mergeRanges, parseRanges, type Ranges, rangesOf } from "./index-ranges.ts"
import { hasPodFailed, hasPodSucceeded, replacesOnlyFailed } from "./pod-outcome.ts"
import { isTracked } from "./tracking-finalizer.ts"

/** How the indexes of an Indexed Job stand. */
export interface Indexes {
  /** As the status has it. */
  readonly succeededBefore: Ranges
  readonly succeeded: Ranges
  /** Only with a backoff limit per index. */
  readonly failed?: Ranges
  /** By index, the failed pod that is kept until its replacement has taken over its count of failures. */
  readonly kept: ReadonlyMap<number, Pod>
}

export function indexesOf(job: Job, pods: readonly Pod[], active: readonly Pod[]): Indexes {
  const { completedIndexes, failedIndexes } = job.status ?? {}
  const completions = completionsOf(job)
  const fresh = (which: (pod: Pod) => boolean) =>
    rangesOf(pods.filter((pod) => isTracked(pod) && which(pod)).flatMap((pod) => validIndex(pod, job) ?? []))
  const succeededBefore = parseRanges(completedIndexes, completions)
  const succeeded = mergeRanges(succeededBefore, fresh(hasPodSucceeded))
  if (!hasLimitPerIndex(job)) return { succeededBefore, succeeded, kept: new Map() }
  const failed = mergeRanges(
    parseRanges(failedIndexes, completions),
    fresh((pod) => failsItsIndex(pod, job)),
  )
  const decided = mergeRanges(succeeded, failed, presentIndexes(active))
  return { succeededBefore, succeeded, failed, kept: keptPods(job, pods, decided) }
}

/** The lowest indexes that nobody works at. */
export function pendingIndexes(
  job: Job,
  { succeeded, failed = [] }: Indexes,
  pods: readonly Pod[],
  active: readonly Pod[],
  count: number,
): readonly number[] {
  const ending = replacesOnlyFailed(job) ? presentIndexes(pods.filter(isPodTerminating)) : []
  return firstMissing(mergeRanges(succeeded, failed, presentIndexes(active), ending), count, completionsOf(job))
}

function presentIndexes(pods: readonly Pod[]): Ranges {
  return rangesOf(pods.flatMap((pod) => completionIndex(pod) ?? []))
}

/** Where the index is decided, or another pod works at it, the count of failures is known without the failed pod. */
function keptPods(job: Job, pods: readonly Pod[], decided: Ranges): ReadonlyMap<number, Pod> {
  const kept = new Map<number, Pod>()
  for (const pod of pods) {
    const index = validIndex(pod, job)
    if (index === undefined || !isTracked(pod) || !hasPodFailed(pod, job) || includesIndex(decided, index)) continue
    kept.set(index, laterFailure(kept.get(index), pod))
  }
  return kept
}
