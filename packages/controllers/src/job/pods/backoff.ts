import { keyOf } from "@pilothouse/api"
import type { Job } from "@pilothouse/api/batch/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import { type Executor, type RememberOperation, remembers } from "@pilothouse/runtime"
import { hasValidIndex } from "./completion-index.ts"
import { finishTime, hasPodFailed, hasPodSucceeded } from "./pod-outcome.ts"
import { isTracked } from "./tracking-finalizer.ts"

const shortest = 10_000
const longest = 600_000

/** So many failures one after the other give the longest delay: 10 s × 2⁶ is more than 10 min. More of them change nothing. */
export const failuresThatCount = 7

/** Failures since the last success. */
export interface Failures {
  readonly count: number
  /** When the last of them was, in milliseconds since 1970. */
  readonly last: number
}

export const noFailures: Failures = { count: 0, last: 0 }

/** Milliseconds until a pod may be made again: 10 s after the first failure, twice as long after each more, at most 10 min. */
export function untilNextTry({ count, last }: Failures, now: number): number {
  if (count === 0) return 0
  const delay = Math.min(shortest * 2 ** (count - 1), longest)
  return Math.max(0, last + delay - now)
}

/** How the last pods of a Job ended. */
export interface Endings {
  readonly uid: string | undefined
  /** The uid of each failed pod and when it ended, the last first. */
  readonly failures: readonly (readonly [uid: string, time: number])[]
  readonly lastSuccess: number
}

export interface RememberEndings extends RememberOperation {
  readonly do: "remember-endings"
  readonly key: string
  /** Undefined: the Job has ended, or is gone. */
  readonly endings?: Endings
}

/**
 * Remembers how the last pods of each Job ended, for a pod that was deleted takes the time of its failure with it, and the next one
 * would be made at once. What is lost in a restart makes a pod come sooner, nothing more.
 *
 * Always true between calls: of each Job there are only failures after its last success, and no more than make a difference.
 */
export class FailureMemory {
  readonly #jobs = new Map<string, Endings>()

  of(key: string): Endings | undefined {
    return this.#jobs.get(key)
  }

  /** What is known with what the pods say now; the very same where they say nothing new. */
  recall(job: Job, pods: readonly Pod[]): Endings {
    const before = this.#jobs.get(keyOf(job))
    const known = before !== undefined && before.uid === job.metadata.uid ? before : firstSight(job)
    const counted = pods.filter((pod) => hasValidIndex(pod, job))
    const succeeded = counted.filter(hasPodSucceeded)
    const lastSuccess = succeeded.reduce((last, pod) => Math.max(last, finishTime(pod)), known.lastSuccess)
    const failures = new Map(known.failures)
    for (const pod of succeeded) failures.delete(uidOf(pod))
    for (const pod of counted) if (hasJustFailed(pod, job)) failures.set(uidOf(pod), finishTime(pod))
    const recent = [...failures].filter(([, time]) => time > lastSuccess).sort(([, a], [, b]) => b - a)
    return { uid: known.uid, failures: recent.slice(0, failuresThatCount), lastSuccess }
  }

  remember(key: string, endings: Endings | undefined): void {
    if (endings === undefined) this.#jobs.delete(key)
    else this.#jobs.set(key, endings)
  }
}

/** Whether there is anything in it that the next look could not see for itself. */
export function isWorthRemembering({ failures, lastSuccess }: Endings): boolean {
  return failures.length > 0 || lastSuccess > Number.NEGATIVE_INFINITY
}

/** The failures since the last success. */
export function failuresIn({ failures }: Endings): Failures {
  const last = failures[0]?.[1]
  return last === undefined ? noFailures : { count: failures.length, last }
}

export function rememberEndingsIn(memory: FailureMemory): Executor {
  return remembers<RememberEndings>("remember-endings", ({ key, endings }) => memory.remember(key, endings))
}

function firstSight({ metadata: { uid } }: Job): Endings {
  return { uid, failures: [], lastSuccess: Number.NEGATIVE_INFINITY }
}

/** A pod that is deleted and not tracked was superfluous: the Job itself let it go. Or it is known already. */
function hasJustFailed(pod: Pod, job: Job): boolean {
  return !hasPodSucceeded(pod) && hasPodFailed(pod, job) && (isTracked(pod) || pod.metadata.deletionTimestamp === undefined)
}

function uidOf({ metadata }: Pod): string {
  return metadata.uid ?? ""
}
