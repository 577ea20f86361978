import { formatTime } from "@pilothouse/api"
import type { CronJobStatus, Job } from "@pilothouse/api/batch/v1"
import type { ObjectReference } from "@pilothouse/api/core/v1"
import { childrenOf, type Said } from "./children.ts"
import { superfluousJobs } from "./history.ts"
import { jobName, newJob } from "./new-job.ts"
import type { Observed } from "./observe.ts"
import { startOf } from "./start.ts"

/** Everything that is decided about a CronJob in one look. */
export interface Course {
  /** Ended Jobs that are more than the history keeps. */
  readonly trim: readonly Job[]
  /** Active Jobs that make room for the run that starts. */
  readonly replace: readonly ObjectReference[]
  readonly create?: Job
  /** The run's Job is there already: it was made before a crash, and the status does not say so. */
  readonly found?: Job
  /** The status as it is without the new Job. */
  readonly status: CronJobStatus
  /** Set once the run's Job is there. */
  readonly lastScheduleTime?: string
  readonly said: readonly Said[]
  readonly again?: number
  readonly reason: string
  /** As in Start. */
  readonly stuck?: boolean
}

export function courseOf({ cronJob, jobs, missing, newSchedule }: Observed, now: number): Course {
  const trim = superfluousJobs(cronJob, jobs)
  const { active, lastSuccessfulTime, said } = childrenOf(cronJob, jobs, missing)
  const start = startOf(cronJob, active, now)
  const status: CronJobStatus = { ...cronJob.status, active: active.length === 0 ? undefined : active, lastSuccessfulTime }
  const common = { trim, status, said: [...said, ...start.said], again: start.again, reason: start.reason, stuck: start.stuck }
  // What another schedule would have started earlier is not made up for: it was not asked for then.
  // Nor is anything deleted in that look: one that fails comes again, and would start it after all.
  if (newSchedule) return { ...common, trim: [], replace: [] }
  if (start.run === undefined) return { ...common, replace: [] }
  const { run } = start
  const found = jobs.find(({ metadata }) => metadata.name === jobName(cronJob, run))
  const replace = cronJob.spec.concurrencyPolicy === "Replace" && found === undefined ? active : []
  return { ...common, replace, found, create: found === undefined ? newJob(cronJob, run) : undefined, lastScheduleTime: formatTime(run) }
}
