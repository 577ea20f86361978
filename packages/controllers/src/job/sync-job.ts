import type { Job } from "@pilothouse/api/batch/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import { smallestOf } from "@pilothouse/seams"
import { completionsReached, type Ending, findEnding } from "./ending.ts"
import { type Failures, timeUntilRetry } from "./pods/backoff.ts"
import { failuresUpTo, hasLimitPerIndex } from "./pods/index-failures.ts"
import { type Indexes, pendingIndexes } from "./pods/indexes.ts"
import { newIndexedPod, newPod } from "./pods/new-pod.ts"
import { replacesOnlyFailed } from "./pods/pod-outcome.ts"
import { podsToDelete } from "./pods/pods-to-delete.ts"
import { type Tally, tallyPods } from "./tally.ts"
import { type Tracking, trackPods } from "./tracking.ts"

/** Everything that one reconcile decides about a Job. */
export interface JobSync {
  readonly tally: Tally
  readonly ending?: Ending
  /** Pods that are stopped because the Job ends. They stay tracked until they are counted. */
  readonly stop: readonly Pod[]
  /** Undefined when the number of pods is not managed any more: the Job ends, or is being deleted. */
  readonly management?: Management
  readonly tracking: Tracking
}

/**
 * Reports whether pods are released after the last status write: a completed index is both record and count, so without other records nothing more
 * has to be written.
 */
export function releasesLast({ ending, tracking: { notes } }: JobSync): boolean {
  return ending === undefined && notes.uids === 0 && notes.indexes > 0
}

export interface JobSyncInput {
  readonly job: Job
  readonly pods: readonly Pod[]
  readonly failures: Failures
}

export function syncJob({ job, pods, failures }: JobSyncInput, now: number): JobSync {
  const tally = tallyPods(job, pods)
  const ending = findEnding(job, pods, tally, now)
  if (ending !== undefined) return { tally, ending, stop: tally.active, tracking: trackPods(job, pods, tally, ending) }
  const management = job.metadata.deletionTimestamp === undefined ? manageJob({ job, pods, tally, failures, now }) : undefined
  const reached = isComplete(job, tally, management) ? completionsReached : undefined
  return { tally, ending: reached, stop: [], management, tracking: trackPods(job, pods, tally, reached) }
}

/** Reports whether the Job is complete. A Job without completions is complete when one pod has succeeded and all others have finished. */
function isComplete({ spec }: Job, { active, succeeded }: Tally, management: Management | undefined): boolean {
  const left = active.length - (management?.remove.length ?? 0) + (management?.create.length ?? 0)
  return left === 0 && succeeded >= (spec?.completions ?? 1)
}

/** The most pods that one reconcile creates or deletes. */
const burst = 500

/** How the number of active pods is corrected: some are deleted, some are created, or the Job backs off. Never two of them at once. */
interface Management {
  readonly remove: readonly Pod[]
  readonly create: readonly Pod[]
  /** Milliseconds until pods may be created again after failures. */
  readonly wait?: number
  readonly reason: string
}

interface ManageInput {
  readonly job: Job
  readonly pods: readonly Pod[]
  readonly tally: Tally
  readonly failures: Failures
  readonly now: number
}

function manageJob(circumstances: ManageInput): Management {
  const { job, tally } = circumstances
  const { active, terminating } = tally
  if (job.spec?.suspend === true) return { remove: podsToDelete(job, active, active.length), create: [], reason: "the Job is suspended" }
  const { count, reason } = desiredPods(job, tally)
  const remove = podsToDelete(job, active, Math.max(0, active.length - count)).slice(0, burst)
  if (remove.length > 0) return { remove, create: [], reason: `${active.length} pods are active, and ${reason}` }
  const missing = count - active.length - (replacesOnlyFailed(job) ? terminating : 0)
  if (missing <= 0) return { remove, create: [], reason }
  return createPods(circumstances, Math.min(missing, burst), `${active.length} pods are active, and ${reason}`)
}

function desiredPods({ spec }: Job, { active, succeeded }: Tally): { readonly count: number; readonly reason: string } {
  const parallelism = spec?.parallelism ?? 1
  if (spec?.completions !== undefined) {
    const left = Math.max(0, spec.completions - succeeded)
    return {
      count: Math.min(left, parallelism),
      reason: `${left} of ${spec.completions} completions are left for ${parallelism} pods at a time`,
    }
  }
  // The pods share a queue of work. The first that succeeds has seen the end of it; the others finish their current item.
  if (succeeded > 0) return { count: active.length, reason: "one pod has succeeded: no more are created" }
  return { count: parallelism, reason: `${parallelism} run at a time until one succeeds` }
}

function createPods(circumstances: ManageInput, count: number, reason: string): Management {
  const { job, tally, failures, now } = circumstances
  const wait = hasLimitPerIndex(job) ? 0 : timeUntilRetry(failures, now)
  if (wait > 0) return { remove: [], create: [], wait, reason: `${failures.count} pods failed one after the other` }
  if (tally.indexes !== undefined) return createIndexedPods(circumstances, tally.indexes, count, reason)
  return { remove: [], create: Array.from({ length: count }, () => newPod(job)), reason }
}

/** Each index backs off on its own: an index that is due does not wait for the others. */
function createIndexedPods({ job, pods, tally, now }: ManageInput, indexes: Indexes, count: number, reason: string): Management {
  const pending = pendingIndexes(job, indexes, pods, tally.active, count)
  const waits = pending.map((index) => timeUntilRetry(failuresUpTo(indexes.retained.get(index)), now))
  const create = pending.filter((_, at) => waits[at] === 0).map((index) => newIndexedPod(job, index, indexes.retained.get(index)))
  const longer = waits.filter((wait) => wait > 0)
  if (longer.length === 0) return { remove: [], create, reason }
  const why = create.length > 0 ? reason : `each of ${longer.length} indexes waits after a failure`
  return { remove: [], create, wait: smallestOf(longer), reason: why }
}
