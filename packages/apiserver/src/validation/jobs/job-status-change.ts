import { deepEqual, isConditionTrue } from "@pilothouse/api"
import type { Job, JobStatus } from "@pilothouse/api/batch/v1"

/** A rule is asked only when what it speaks of has changed: a spec may have been changed under a status that was right before. */
export interface JobChange {
  readonly job: Job
  readonly now: JobStatus
  readonly old: JobStatus
  is(type: string): boolean
  was(type: string): boolean
  /** Whether one of these conditions has come or gone. */
  turned(...types: string[]): boolean
  changed(field: keyof JobStatus): boolean
}

/** Gives the rules of a status update both statuses and which conditions turned. */
export function jobChange(job: Job, oldJob: Job): JobChange {
  const [now, old] = [job.status ?? {}, oldJob.status ?? {}]
  const is = (type: string) => isConditionTrue(now.conditions, type)
  const was = (type: string) => isConditionTrue(old.conditions, type)
  return {
    job,
    now,
    old,
    is,
    was,
    turned: (...types) => types.some((type) => is(type) !== was(type)),
    changed: (field) => !deepEqual(now[field], old[field]),
  }
}
