import { type Job, jobs } from "@pilothouse/api/batch/v1"
import type { Reader } from "@pilothouse/runtime"

export interface Observed {
  readonly job: Job
}

export function observe(key: string, read: Reader): Observed | undefined {
  const job = read.get(jobs, key)
  return job === undefined ? undefined : { job }
}
