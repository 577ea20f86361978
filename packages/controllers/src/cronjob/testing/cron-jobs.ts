import type { CronJob, CronJobSpec, CronJobStatus, Job } from "@pilothouse/api/batch/v1"

/** CronJobs and Jobs for the tests of this folder. Ten o'clock is on a Thursday. */
export const ten = Date.parse("2026-01-08T10:00:00Z")

const units = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds since 1970 of so long after ten: "1h", "-1m", "1d 30m". */
export function after(ten_: string): number {
  return ten_.split(" ").reduce((sum, part) => sum + Number(part.slice(0, -1)) * units[part.at(-1) as keyof typeof units], ten)
}

export function at(afterTen: string): string {
  return `${new Date(after(afterTen)).toISOString().slice(0, 19)}Z`
}

export interface CronJobFacts extends Partial<Omit<CronJobSpec, "jobTemplate">> {
  readonly created?: string
  readonly last?: string
  readonly active?: readonly string[]
  readonly lastSuccess?: string
  readonly deleting?: boolean
}

export function cronJob({ created = "-59m", last, active, lastSuccess, deleting, ...spec }: CronJobFacts = {}): CronJob {
  const status: CronJobStatus = {
    ...(last && { lastScheduleTime: at(last) }),
    ...(lastSuccess && { lastSuccessfulTime: at(lastSuccess) }),
    ...(active && {
      active: active.map((name) => ({ apiVersion: "batch/v1", kind: "Job", namespace: "default", name, uid: `uid-${name}` })),
    }),
  }
  return {
    apiVersion: "batch/v1",
    kind: "CronJob",
    metadata: {
      name: "tick",
      namespace: "default",
      uid: "cron-1",
      creationTimestamp: at(created),
      ...(deleting && { deletionTimestamp: at("-1m") }),
    },
    spec: {
      schedule: "0 * * * ?",
      concurrencyPolicy: "Allow",
      jobTemplate: {
        metadata: { labels: { a: "b" }, annotations: { x: "y" } },
        spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "tick" }] } } },
      },
      ...spec,
    },
    status,
  }
}

export function job(name: string, ended?: "Complete" | "Failed", started = "-1h", completed = "-30m"): Job {
  const conditions = ended && [{ type: ended, status: "True", lastTransitionTime: at(completed) }]
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, namespace: "default", uid: `uid-${name}`, resourceVersion: "5" },
    status: { startTime: at(started), conditions, ...(ended === "Complete" && { completionTime: at(completed) }) },
  }
}
