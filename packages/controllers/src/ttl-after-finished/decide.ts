import { parseTime } from "@pilothouse/api"
import type { Job } from "@pilothouse/api/batch/v1"
import { type DecideContext, type Plan, plan } from "@pilothouse/runtime"
import { finishedCondition } from "../job/finished.ts"
import type { Observed } from "./observe.ts"

/**
 * A Job that was changed meanwhile is not deleted: the new version may say another time. Upstream reads the Job once more for that, and deletes
 * whatever it has become since; with the resourceVersion the server itself sees to it, and there is one call less.
 */
export function decide({ job }: Observed, { now }: DecideContext): Plan {
  const { uid, resourceVersion, deletionTimestamp } = job.metadata
  const seconds = job.spec?.ttlSecondsAfterFinished
  if (deletionTimestamp !== undefined) return plan().nothing("the Job is being deleted")
  if (seconds === undefined) return plan().nothing("the Job may stay when it has ended")
  const finished = finishTime(job)
  if (finished === undefined) return plan().nothing("the Job has not ended")
  const left = finished + seconds * 1000 - now
  if (left > 0)
    return plan()
      .nothing(`the Job may stay for ${left / 1000} s more`)
      .requeueAfter(left, `it ended ${seconds} s before then`)
  const options = { propagationPolicy: "Foreground", preconditions: { uid, resourceVersion } } as const
  return plan().delete(job, `it ended ${seconds} s ago or longer`, options)
}

/** Undefined also for a Job that says that it has ended, but not when: it is never known to be old enough. */
function finishTime(job: Job): number | undefined {
  const ended = finishedCondition(job)?.lastTransitionTime
  return ended ? parseTime(ended) : undefined
}
