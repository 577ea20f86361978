import { parseTime } from "@pilothouse/api"
import { type Job, jobs } from "@pilothouse/api/batch/v1"
import {
  type Controller,
  controller,
  countFlag,
  type DecideContext,
  type Plan,
  plan,
  type Reader,
  type ReconcileResult,
} from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { finishedCondition } from "../job/finished.ts"
import { descriptor } from "../shared/descriptor.ts"
import { createMetrics, exponentialBuckets, histogramFamily } from "../shared/metric-families.ts"

/**
 * Deletes finished Jobs ttlSecondsAfterFinished seconds after they finished.
 * Watches Jobs; requeues each until its time is over; deletes only the observed version.
 * The delete is in the foreground, so that the pods are deleted first.
 */
export function ttlAfterFinishedController({
  metrics,
  concurrentSyncs = 5,
}: {
  readonly concurrentSyncs?: number
  readonly metrics?: Metrics
} = {}): Controller {
  return controller("ttl-after-finished-controller", {
    for: jobs,
    maxConcurrentReconciles: concurrentSyncs,
    observe,
    decide,
    onReconciled: metrics && ttlAfterFinishedMetrics(metrics),
  })
}

export interface Observed {
  readonly job: Job
}

export function observe(key: string, read: Reader): Observed | undefined {
  const job = read.get(jobs, key)
  return job === undefined ? undefined : { job }
}

/**
 * A Job that has changed is not deleted: the new version may have another TTL. Upstream reads the Job again before it deletes
 * any version; here the resourceVersion precondition guarantees it with one request less.
 */
export function decide({ job }: Observed, { now }: DecideContext): Plan {
  const { uid, resourceVersion, deletionTimestamp } = job.metadata
  const seconds = job.spec?.ttlSecondsAfterFinished
  if (deletionTimestamp !== undefined) return plan().nothing("the Job is being deleted")
  if (seconds === undefined) return plan().nothing("the Job has no TTL after it has finished")
  const finished = finishTime(job)
  if (finished === undefined) return plan().nothing("the Job has not finished")
  const left = finished + seconds * 1000 - now
  if (left > 0)
    return plan()
      .nothing(`the Job may stay for ${left / 1000} s more`)
      .requeueAfter(left, `it ended ${seconds} s before then`)
  const options = { propagationPolicy: "Foreground", preconditions: { uid, resourceVersion } } as const
  return plan().delete(job, `it ended ${seconds} s ago or longer`, options)
}

/** Returns undefined also for a finished Job without a time, which never expires. */
function finishTime(job: Job): number | undefined {
  const ended = finishedCondition(job)?.lastTransitionTime
  return ended ? parseTime(ended) : undefined
}

export const ttlAfterFinishedFamilies = {
  seconds: histogramFamily(
    "ttl_after_finished_controller_job_deletion_duration_seconds",
    [],
    "Time from when a Job may be deleted until it was",
    exponentialBuckets(0.1, 2, 14),
  ),
}

export function ttlAfterFinishedMetrics(metrics: Metrics): (key: string, end: ReconcileResult<Observed>) => void {
  const { seconds } = createMetrics(metrics, ttlAfterFinishedFamilies)
  return (_key, { observed, results, now }) => {
    const ended = observed && finishedCondition(observed.job)?.lastTransitionTime
    if (!ended || !results.some(({ operation, ok }) => operation.do === "delete" && ok === true)) return
    seconds.observe((now - parseTime(ended)) / 1000 - (observed.job.spec?.ttlSecondsAfterFinished ?? 0))
  }
}

export const ttlAfterFinishedDescriptor = descriptor({
  name: "ttl-after-finished-controller",
  aliases: ["ttl-after-finished"],
  flags: {
    "concurrent-ttl-after-finished-syncs": countFlag(5, "Jobs worked on at once"),
  },
  create: (set, { metrics }) => ttlAfterFinishedController({ metrics, concurrentSyncs: set["concurrent-ttl-after-finished-syncs"] }),
})
