import { keyOf } from "@pilothouse/api"
import type { Job } from "@pilothouse/api/batch/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import { type Failures, failuresThatCount, noFailures } from "./backoff.ts"
import { hasValidIndex } from "./completion-index.ts"
import { finishTime } from "./finish-time.ts"
import { hasPodFailed, hasPodSucceeded } from "./pod-outcome.ts"
import { isTracked } from "./tracking-finalizer.ts"

interface Remembered {
  readonly uid: string | undefined
  /** When each failed pod ended, by its uid. */
  failures: Map<string, number>
  lastSuccess: number
}

/**
 * Remembers how the last pods of each Job ended, for a pod that was deleted takes the time of its failure with it, and the next one
 * would be made at once. What is lost in a restart makes a pod come sooner, nothing more.
 *
 * Always true between calls: of each Job there are only failures after its last success, and no more than make a difference.
 */
export class FailureMemory {
  readonly #jobs = new Map<string, Remembered>()

  /** Takes in what the pods say now, and gives what is known of the Job's failures since its last success. */
  recall(job: Job, pods: readonly Pod[]): Failures {
    const known = this.#of(job)
    for (const pod of pods) if (hasValidIndex(pod, job)) notice(known, pod, job)
    const recent = [...known.failures].filter(([, time]) => time > known.lastSuccess).sort(([, a], [, b]) => b - a)
    known.failures = new Map(recent.slice(0, failuresThatCount))
    const last = recent[0]?.[1]
    return last === undefined ? noFailures : { count: known.failures.size, last }
  }

  /** The Job has ended, or is gone. */
  forget(key: string): void {
    this.#jobs.delete(key)
  }

  #of(job: Job): Remembered {
    const key = keyOf(job)
    const { uid } = job.metadata
    const known = this.#jobs.get(key)
    if (known !== undefined && known.uid === uid) return known
    const made: Remembered = { uid, failures: new Map(), lastSuccess: Number.NEGATIVE_INFINITY }
    this.#jobs.set(key, made)
    return made
  }
}

function notice(known: Remembered, pod: Pod, job: Job): void {
  const uid = pod.metadata.uid ?? ""
  if (hasPodSucceeded(pod)) {
    known.failures.delete(uid)
    known.lastSuccess = Math.max(known.lastSuccess, finishTime(pod))
  } else if (hasPodFailed(pod, job) && (isTracked(pod) || pod.metadata.deletionTimestamp === undefined)) {
    // A pod that is deleted and not tracked was superfluous: the Job itself let it go. Or it is known already.
    known.failures.set(uid, finishTime(pod))
  }
}
