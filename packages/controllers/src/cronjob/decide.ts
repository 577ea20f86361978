import { formatTime, parseTime } from "@pilothouse/api"
import type { CronJob, CronJobStatus, Job } from "@pilothouse/api/batch/v1"
import type { ObjectReference } from "@pilothouse/api/core/v1"
import { type DecideContext, type ObjectRef, type Plan, plan } from "@pilothouse/runtime"
import { finishedCondition } from "../job/finished.ts"
import { type EventDraft, summarizeJobs } from "./jobs-summary.ts"
import { jobName, newJob } from "./new-job.ts"
import type { Observed } from "./observe.ts"
import { evaluateStart } from "./start.ts"

/** The pods of a Job are deleted after it. */
const background = { propagationPolicy: "Background" } as const

/** Trims the history and starts the run that is due. settle writes the status, with the new Job in it, and the events. */
export function decide(observed: Observed, { now }: DecideContext): Plan {
  const { trim, replace, create, requeueAfter, reason, stuck = false } = decideSync(observed, now)
  const built = plan()
  for (const job of trim) built.delete(job, "it has ended, and the history keeps no more", background)
  // A Job of the past that cannot be deleted keeps no run from starting.
  if (trim.length > 0) built.nextStep({ onFailure: "continue" })
  for (const job of replace) built.delete(jobRef(job), "another run starts, and the concurrency policy is Replace", background)
  if (create !== undefined) {
    if (replace.length > 0) built.nextStep()
    // The Job of this minute belongs to another owner, or to this CronJob and the cache does not show it yet: the next reconcile finds out.
    built.operation({ do: "create", object: create, reason, tolerate: ["AlreadyExists"] })
  }
  if (requeueAfter !== undefined) built.requeueAfter(requeueAfter, "the next run is due then")
  // settle records the warning; a missed run is followed by others.
  return built.steps.length === 0 ? built.nothing(reason, { stuck: stuck && requeueAfter === undefined }) : built
}

function jobRef({ namespace, name, uid }: ObjectReference): ObjectRef {
  return { apiVersion: "batch/v1", kind: "Job", metadata: { namespace, name, uid } }
}

/** Everything that is decided about a CronJob in one reconcile. */
export interface SyncDecision {
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
  readonly events: readonly EventDraft[]
  readonly requeueAfter?: number
  readonly reason: string
  /** As in StartDecision. */
  readonly stuck?: boolean
}

/** Decides one sync of a CronJob (upstream's syncCronJob): the Jobs to remove, the run to start or to skip, the status, and the next requeue. */
export function decideSync({ cronJob, jobs, missing, newSchedule }: Observed, now: number): SyncDecision {
  const trim = superfluousJobs(cronJob, jobs)
  const { active, lastSuccessfulTime, events } = summarizeJobs(cronJob, jobs, missing)
  const start = evaluateStart(cronJob, active, now)
  const status: CronJobStatus = { ...cronJob.status, active: active.length === 0 ? undefined : active, lastSuccessfulTime }
  const common = {
    trim,
    status,
    events: [...events, ...start.events],
    requeueAfter: start.requeueAfter,
    reason: start.reason,
    stuck: start.stuck,
  }
  // Runs that the new schedule would have started earlier are not started: it did not apply then.
  // Nor is anything deleted in that reconcile: a failed one is retried, and would start the run after all.
  if (newSchedule) return { ...common, trim: [], replace: [] }
  if (start.run === undefined) return { ...common, replace: [] }
  const { run } = start
  const found = jobs.find(({ metadata }) => metadata.name === jobName(cronJob, run))
  const replace = cronJob.spec.concurrencyPolicy === "Replace" && found === undefined ? active : []
  return { ...common, replace, found, create: found === undefined ? newJob(cronJob, run) : undefined, lastScheduleTime: formatTime(run) }
}

/** Returns the ended Jobs beyond the history limits, oldest first. */
function superfluousJobs({ spec }: CronJob, jobs: readonly Job[]): readonly Job[] {
  const ended = (type: "Complete" | "Failed") => jobs.filter((job) => finishedCondition(job)?.type === type)
  return [...beyond(ended("Complete"), spec.successfulJobsHistoryLimit), ...beyond(ended("Failed"), spec.failedJobsHistoryLimit)]
}

function beyond(jobs: readonly Job[], limit: number | undefined): readonly Job[] {
  if (limit === undefined || jobs.length <= limit) return []
  return [...jobs].sort(oldestFirst).slice(0, jobs.length - limit)
}

/** A Job that never started counts as the newest; of two that started at once the name decides. */
function oldestFirst(a: Job, b: Job): number {
  return jobStartTime(a) - jobStartTime(b) || ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1)
}

function jobStartTime({ status }: Job): number {
  return status?.startTime ? parseTime(status.startTime) : Number.MAX_SAFE_INTEGER
}
