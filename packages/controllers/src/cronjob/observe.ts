import { type CronJob, cronJobs, type Job, jobs } from "@pilothouse/api/batch/v1"
import { byController, type Reader } from "@pilothouse/runtime"
import type { SeenSchedules } from "./seen-schedules.ts"

export const jobsByController = byController(jobs)

/** A CronJob and its Jobs, from which `decide` starts, replaces and trims. */
export interface Observed {
  readonly cronJob: CronJob
  /** Every Job it controls. */
  readonly jobs: readonly Job[]
  /** Uids of Jobs that the status calls active and the server does not have any more. */
  readonly missing: ReadonlySet<string>
  /** The schedule differs from that of the last reconcile. */
  readonly newSchedule: boolean
  /** Remembered once this reconcile has succeeded; undefined when it is known already. */
  readonly unseenSchedule?: string
}

export async function observe(key: string, read: Reader, seen: SeenSchedules): Promise<Observed | undefined> {
  const first = read.get(cronJobs, key)
  const missing = first === undefined ? new Set<string>() : await missingJobs(first, read)
  const cronJob = read.get(cronJobs, key)
  return cronJob && { cronJob, jobs: ownedJobs(cronJob, read), missing, ...seen.compare(key, cronJob) }
}

/** Reads from the server: a stale cache must not let a second Job start beside a running one. */
async function missingJobs(cronJob: CronJob, read: Reader): Promise<ReadonlySet<string>> {
  const present = new Set(ownedJobs(cronJob, read).map(({ metadata }) => metadata.uid))
  const unseen = (cronJob.status?.active ?? []).filter(({ uid }) => !present.has(uid))
  const found = await Promise.all(unseen.map(({ namespace, name }) => read.live(jobs, `${namespace}/${name}`)))
  return new Set(unseen.filter(({ uid }, at) => found[at]?.metadata.uid !== uid).map(({ uid = "" }) => uid))
}

function ownedJobs(cronJob: CronJob, read: Reader): readonly Job[] {
  return read.byIndex(jobsByController, cronJob.metadata.uid ?? "")
}
