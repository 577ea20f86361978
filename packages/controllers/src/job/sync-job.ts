import type { Job } from "@pilothouse/api/batch/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import { completionsReached, type Ending, findEnding } from "./ending.ts"
import { type Management, manageJob } from "./manage-job.ts"
import type { Failures } from "./pods/backoff.ts"
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

/** Whether pods are released after the last status write: a completed index is both record and count, so without other records nothing more has to be written. */
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

/** Whether the Job is complete. A Job without completions is complete when one pod has succeeded and all others have finished. */
function isComplete({ spec }: Job, { active, succeeded }: Tally, management: Management | undefined): boolean {
  const left = active.length - (management?.remove.length ?? 0) + (management?.create.length ?? 0)
  return left === 0 && succeeded >= (spec?.completions ?? 1)
}
