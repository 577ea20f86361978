import type { Job } from "@pilothouse/api/batch/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import { completionsReached, type Ending, endingOf } from "./ending.ts"
import { type Management, manage } from "./manage-job.ts"
import type { Failures } from "./pods/backoff.ts"
import { type Tally, tallyOf } from "./tally.ts"
import { type Tracking, trackingOf } from "./tracking.ts"

/** Everything that is decided about a Job in one look. */
export interface Course {
  readonly tally: Tally
  readonly ending?: Ending
  /** Pods that are stopped because the Job ends. They stay tracked until they are counted. */
  readonly stop: readonly Pod[]
  /** Undefined when the number of pods is nobody's concern any more: the Job ends, or is being deleted. */
  readonly management?: Management
  readonly tracking: Tracking
}

/** A completed index is note and count in one: where there are no other notes the pods are let go after the last status, and no more is to be written. */
export function releasesLast({ ending, tracking: { notes } }: Course): boolean {
  return ending === undefined && notes.uids === 0 && notes.indexes > 0
}

export interface CourseOf {
  readonly job: Job
  readonly pods: readonly Pod[]
  readonly failures: Failures
}

export function courseOf({ job, pods, failures }: CourseOf, now: number): Course {
  const tally = tallyOf(job, pods)
  const ending = endingOf(job, pods, tally, now)
  if (ending !== undefined) return { tally, ending, stop: tally.active, tracking: trackingOf(job, pods, tally, ending) }
  const management = job.metadata.deletionTimestamp === undefined ? manage({ job, pods, tally, failures, now }) : undefined
  const reached = isComplete(job, tally, management) ? completionsReached : undefined
  return { tally, ending: reached, stop: [], management, tracking: trackingOf(job, pods, tally, reached) }
}

/** A Job without a number of completions is complete when one pod has ended well and the others have ended. */
function isComplete({ spec }: Job, { active, succeeded }: Tally, management: Management | undefined): boolean {
  const left = active.length - (management?.remove.length ?? 0) + (management?.create.length ?? 0)
  return left === 0 && succeeded >= (spec?.completions ?? 1)
}
