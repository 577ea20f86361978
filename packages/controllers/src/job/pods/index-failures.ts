import type { Job } from "@pilothouse/api/batch/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import { type Failures, noFailures } from "./backoff.ts"
import { judgeFailure } from "./failure-policy.ts"
import { finishTime, hasPodFailed } from "./pod-outcome.ts"

const failureCount = "batch.kubernetes.io/job-index-failure-count"
const ignoredCount = "batch.kubernetes.io/job-index-ignored-failure-count"

export function hasLimitPerIndex({ spec }: Job): boolean {
  return spec?.backoffLimitPerIndex !== undefined
}

/** Reports whether the failure of this pod fails its index: it exceeds the limit, or a rule of the failure policy says so. */
export function failsItsIndex(pod: Pod, job: Job): boolean {
  if (!hasPodFailed(pod, job)) return false
  const { action, counts } = judgeFailure(job, pod)
  return action === "FailIndex" || (counts && numberIn(pod, failureCount) >= (job.spec?.backoffLimitPerIndex ?? 0))
}

/** Returns the annotations that a failed pod passes on to its replacement; the failure count of an index is stored nowhere else. */
export function failureAnnotations(replaced: Pod | undefined, job: Job): Readonly<Record<string, string>> {
  if (replaced === undefined) return { [failureCount]: "0" }
  const { counts } = judgeFailure(job, replaced)
  const ignored = numberIn(replaced, ignoredCount) + (counts ? 0 : 1)
  return {
    [failureCount]: String(numberIn(replaced, failureCount) + (counts ? 1 : 0)),
    ...(ignored > 0 && { [ignoredCount]: String(ignored) }),
  }
}

/** Returns the failures of an index up to and including this pod; ignored failures delay the next attempt too. */
export function failuresUpTo(pod: Pod | undefined): Failures {
  return pod === undefined ? noFailures : { count: earlierFailures(pod) + 1, last: finishTime(pod) }
}

/** Returns the one of two failed pods of an index that failed last. */
export function laterFailure(one: Pod | undefined, other: Pod): Pod {
  if (one === undefined) return other
  return earlierFailures(one) <= earlierFailures(other) && finishTime(other) >= finishTime(one) ? other : one
}

function earlierFailures(pod: Pod): number {
  return numberIn(pod, failureCount) + numberIn(pod, ignoredCount)
}

/** Returns 0 for an annotation that is missing, negative, larger than 32 bits or not a number: users can edit it. */
function numberIn({ metadata }: Pod, annotation: string): number {
  const text = metadata.annotations?.[annotation] ?? ""
  const number = /^\+?\d+$/.test(text) ? Number(text) : 0
  return number < 2 ** 31 ? number : 0
}
