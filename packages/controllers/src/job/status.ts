import { deepEqual, findCondition, formatTime, isConditionTrue, isPodReady, setCondition } from "@pilothouse/api"
import type { Job, JobCondition, JobStatus, UncountedTerminatedPods } from "@pilothouse/api/batch/v1"
import type { Ending } from "./ending.ts"
import { isIndexed } from "./pods/completion-index.ts"
import { countIndexes, formatRanges } from "./pods/index-ranges.ts"
import type { JobSync } from "./sync-job.ts"
import { podUid, stillIn } from "./tracking.ts"

/** The results of a plan. */
export interface Done {
  /** UIDs of pods that were released, and of those that were deleted. */
  readonly untracked: ReadonlySet<string>
  readonly deleted: ReadonlySet<string>
  readonly created: number
}

/** Returns the status to write before pods are released: their UIDs or indexes, and why the Job ends. Undefined when the status has all of it. */
export function statusBeforeRelease(job: Job, sync: JobSync, now: number): JobStatus | undefined {
  const { tracking, ending } = sync
  const said = ending === undefined || isConditionTrue(job.status?.conditions, ending.type)
  const failedIndexes = counters(job, sync, tracking).failedIndexes
  const noted = tracking.notes.uids + tracking.notes.indexes === 0 && said && failedIndexes === job.status?.failedIndexes
  if (tracking.release.length === 0 || noted) return undefined
  const conditions = withEnding(job.status?.conditions, ending, now)
  return { ...job.status, ...counters(job, sync, tracking), startTime: startTime(job, now), conditions: orNone(conditions) }
}

/** Returns the status after the plan was applied. */
export function statusAfter(job: Job, sync: JobSync, done: Done, now: number): JobStatus {
  const { tally, tracking } = sync
  const gone = tally.active.filter((pod) => done.deleted.has(podUid(pod)))
  const active = tally.active.length - gone.length + done.created
  const tracked = new Set([...tracking.tracked].filter((uid) => !done.untracked.has(uid)))
  const uncounted = { succeeded: stillIn(tracking.uncounted.succeeded, tracked), failed: stillIn(tracking.uncounted.failed, tracked) }
  const counted = {
    uncounted,
    succeeded: tracking.succeeded + tracking.uncounted.succeeded.length - uncounted.succeeded.length,
    failed: tracking.failed + tracking.uncounted.failed.length - uncounted.failed.length,
  }
  const status: JobStatus = {
    ...job.status,
    ...counters(job, sync, counted),
    startTime: startTime(job, now),
    active: active || undefined,
    ready: tally.ready - gone.filter(isPodReady).length,
    terminating: tally.terminating + gone.length,
  }
  return withConditions(job, sync, status, now)
}

interface Counted {
  readonly uncounted: Required<UncountedTerminatedPods>
  readonly succeeded: number
  readonly failed: number
}

/** Omits zeros and empty lists as the API server does; otherwise the stored status would never equal the computed one. */
function counters(job: Job, { tally: { indexes } }: JobSync, { uncounted, succeeded, failed }: Counted): JobStatus {
  const common: JobStatus = {
    failed: failed || undefined,
    succeeded: (indexes ? countIndexes(indexes.succeeded) : succeeded) || undefined,
    uncountedTerminatedPods: { succeeded: orNone(uncounted.succeeded), failed: orNone(uncounted.failed) },
  }
  if (indexes === undefined || !isIndexed(job)) return common
  const failedIndexes = indexes.failed && formatRanges(indexes.failed)
  return { ...common, completedIndexes: formatRanges(indexes.succeeded) || undefined, failedIndexes }
}

/** Returns the start time; a Job that is created suspended has none. */
function startTime({ spec, status }: Job, now: number): string | undefined {
  return status?.startTime ?? (spec?.suspend === true ? undefined : formatTime(now))
}

function withConditions(job: Job, sync: JobSync, status: JobStatus, now: number): JobStatus {
  const { ending, management, tracking } = sync
  if (ending === undefined) return management === undefined ? status : withSuspension(job, status, now)
  const conditions = withEnding(status.conditions, ending, now)
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {}
  const waiting = succeeded.length + failed.length + (status.active ?? 0) + (status.terminating ?? 0) > 0
  if (waiting || tracking.full) return { ...status, conditions }
  const complete = ending.type === "SuccessCriteriaMet"
  const ended = setCondition(conditions, condition(complete ? "Complete" : "Failed", "True", ending, now), now)
  return { ...status, conditions: ended, ...(complete && { completionTime: formatTime(now) }) }
}

function withEnding(conditions: readonly JobCondition[] | undefined, ending: Ending | undefined, now: number): readonly JobCondition[] {
  if (ending === undefined || isConditionTrue(conditions, ending.type)) return conditions ?? []
  return setCondition(conditions, condition(ending.type, "True", ending, now), now)
}

/** Sets the Suspended condition. A resumed Job gets a new start time, from which its deadline counts. */
function withSuspension({ spec }: Job, status: JobStatus, now: number): JobStatus {
  const before = findCondition(status.conditions, "Suspended")
  if (spec?.suspend !== true && before === undefined) return status
  const why =
    spec?.suspend === true ? { reason: "JobSuspended", message: "Job suspended" } : { reason: "JobResumed", message: "Job resumed" }
  const next = condition("Suspended", spec?.suspend === true ? "True" : "False", why, now)
  const same = before?.status === next.status && before.reason === next.reason && before.message === next.message
  if (same) return status
  const conditions = setCondition(status.conditions, next, now)
  return { ...status, conditions, startTime: spec?.suspend === true ? undefined : formatTime(now) }
}

function condition(
  type: string,
  status: "True" | "False",
  { reason, message }: Pick<Ending, "reason" | "message">,
  now: number,
): JobCondition {
  return { type, status, reason, message, lastProbeTime: formatTime(now), lastTransitionTime: formatTime(now) }
}

function orNone<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length === 0 ? undefined : list
}

export function sameStatus(one: JobStatus | undefined, other: JobStatus): boolean {
  return deepEqual(one ?? {}, other)
}
