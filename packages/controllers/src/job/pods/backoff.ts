import { keyOf } from "@pilothouse/api"
import type { Job } from "@pilothouse/api/batch/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import { type Executor, type RememberOperation, remembers } from "@pilothouse/runtime"
import { hasValidIndex } from "./completion-index.ts"
import { finishTime, hasPodFailed, hasPodSucceeded } from "./pod-outcome.ts"
import { isTracked } from "./tracking-finalizer.ts"

const baseDelay = 10_000
const maxDelay = 600_000

/** Consecutive failures that reach the maximum delay: 10 s × 2⁶ is more than 10 min. Further failures change nothing. */
export const maxCountedFailures = 7

/** Failures since the last success. */
export interface Failures {
  readonly count: number
  /** When the last of them was, in milliseconds since 1970. */
  readonly last: number
}

export const noFailures: Failures = { count: 0, last: 0 }

/** Returns the milliseconds until a pod may be created again: 10 s after the first failure, doubled after each further one, at most 10 min. */
export function timeUntilRetry({ count, last }: Failures, now: number): number {
  if (count === 0) return 0
  const delay = Math.min(baseDelay * 2 ** (count - 1), maxDelay)
  return Math.max(0, last + delay - now)
}

/** How the last pods of a Job ended. */
export interface PodEndings {
  readonly uid: string | undefined
  /** The uid of each failed pod and when it ended, the last first. */
  readonly failures: readonly (readonly [uid: string, time: number])[]
  readonly lastSuccess: number
}

export interface RememberEndings extends RememberOperation {
  readonly do: "remember-endings"
  readonly key: string
  /** Undefined: the Job has ended, or is gone. */
  readonly endings?: PodEndings
}

/**
 * Remembers how the last pods of each Job ended, because a deleted pod takes the time of its failure with it and the next one
 * would be created at once. A restart loses the memory, which only lets a pod be created sooner.
 *
 * Invariant: each Job has only failures after its last success, and at most maxCountedFailures of them.
 */
export class FailureMemory {
  readonly #jobs = new Map<string, PodEndings>()

  of(key: string): PodEndings | undefined {
    return this.#jobs.get(key)
  }

  /** Returns what is remembered, updated from the pods; an equal value when they show nothing new. */
  recall(job: Job, pods: readonly Pod[]): PodEndings {
    const before = this.#jobs.get(keyOf(job))
    const known = before !== undefined && before.uid === job.metadata.uid ? before : noEndings(job)
    const counted = pods.filter((pod) => hasValidIndex(pod, job))
    const succeeded = counted.filter(hasPodSucceeded)
    const lastSuccess = succeeded.reduce((last, pod) => Math.max(last, finishTime(pod)), known.lastSuccess)
    const failures = new Map(known.failures)
    for (const pod of succeeded) failures.delete(podUid(pod))
    for (const pod of counted) if (hasJustFailed(pod, job)) failures.set(podUid(pod), finishTime(pod))
    const recent = [...failures].filter(([, time]) => time > lastSuccess).sort(([, a], [, b]) => b - a)
    return { uid: known.uid, failures: recent.slice(0, maxCountedFailures), lastSuccess }
  }

  remember(key: string, endings: PodEndings | undefined): void {
    if (endings === undefined) this.#jobs.delete(key)
    else this.#jobs.set(key, endings)
  }
}

/** Reports whether it has anything that the next reconcile could not observe itself. */
export function isWorthRemembering({ failures, lastSuccess }: PodEndings): boolean {
  return failures.length > 0 || lastSuccess > Number.NEGATIVE_INFINITY
}

/** The failures since the last success. */
export function failuresSinceSuccess({ failures }: PodEndings): Failures {
  const last = failures[0]?.[1]
  return last === undefined ? noFailures : { count: failures.length, last }
}

export function rememberEndingsIn(memory: FailureMemory): Executor {
  return remembers<RememberEndings>("remember-endings", ({ key, endings }) => memory.remember(key, endings))
}

function noEndings({ metadata: { uid } }: Job): PodEndings {
  return { uid, failures: [], lastSuccess: Number.NEGATIVE_INFINITY }
}

/** Reports whether the pod has failed and is not yet remembered. A deleted pod that is not tracked was surplus: the Job itself released it. */
function hasJustFailed(pod: Pod, job: Job): boolean {
  return !hasPodSucceeded(pod) && hasPodFailed(pod, job) && (isTracked(pod) || pod.metadata.deletionTimestamp === undefined)
}

function podUid({ metadata }: Pod): string {
  return metadata.uid ?? ""
}
