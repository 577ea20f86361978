import { parseTime } from "@pilothouse/api"
import type { CronJob, Job } from "@pilothouse/api/batch/v1"
import { finishedCondition } from "../job/finished.ts"

/** Jobs that have ended and are more than the limits let stay, oldest first. */
export function superfluousJobs({ spec }: CronJob, jobs: readonly Job[]): readonly Job[] {
  const ended = (type: "Complete" | "Failed") => jobs.filter((job) => finishedCondition(job)?.type === type)
  return [...beyond(ended("Complete"), spec.successfulJobsHistoryLimit), ...beyond(ended("Failed"), spec.failedJobsHistoryLimit)]
}

function beyond(jobs: readonly Job[], limit: number | undefined): readonly Job[] {
  if (limit === undefined || jobs.length <= limit) return []
  return [...jobs].sort(oldestFirst).slice(0, jobs.length - limit)
}

/** A Job that never started counts as the newest; of two that started at once the name decides. */
function oldestFirst(a: Job, b: Job): number {
  return startOf(a) - startOf(b) || ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1)
}

function startOf({ status }: Job): number {
  return status?.startTime ? parseTime(status.startTime) : Number.MAX_SAFE_INTEGER
}
