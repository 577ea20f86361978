import { controllerRef } from "@pilothouse/api"
import { type CronJob, cronJobs, type Job } from "@pilothouse/api/batch/v1"
import { formatInZone } from "./schedule.ts"

const scheduledTimestamp = "batch.kubernetes.io/cronjob-scheduled-timestamp"

/** The name is made of the minute: a run that is started twice by mistake is the same Job, and the server refuses the second. */
export function jobName({ metadata }: CronJob, run: number): string {
  return `${metadata.name}-${Math.floor(run / 60_000)}`
}

/** Returns the Job of one run, named after its time, so that a second create for the same run is refused. */
export function newJob(cronJob: CronJob, run: number): Job {
  const { metadata, spec } = cronJob.spec.jobTemplate
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: {
      name: jobName(cronJob, run),
      namespace: cronJob.metadata.namespace,
      labels: metadata?.labels,
      annotations: { ...metadata?.annotations, [scheduledTimestamp]: formatInZone(run, cronJob.spec.timeZone || "UTC") },
      ownerReferences: [controllerRef(cronJob, cronJobs)],
    },
    spec,
  }
}
