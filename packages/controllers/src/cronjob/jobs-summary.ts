import { parseTime } from "@pilothouse/api"
import type { CronJob, Job } from "@pilothouse/api/batch/v1"
import type { ObjectReference } from "@pilothouse/api/core/v1"
import { finishedCondition } from "../job/finished.ts"

/** An event to record. */
export interface EventDraft {
  readonly type: "Normal" | "Warning"
  readonly reason: string
  readonly message: string
}

export interface JobsSummary {
  readonly active: readonly ObjectReference[]
  readonly lastSuccessfulTime?: string
  readonly events: readonly EventDraft[]
}

/** Returns the active Jobs, without those that have ended and those that the server does not have any more. */
export function summarizeJobs({ status }: CronJob, jobs: readonly Job[], missing: ReadonlySet<string>): JobsSummary {
  const listed = status?.active ?? []
  const known = new Set(listed.map(({ uid }) => uid))
  const ended = new Map(jobs.flatMap((job) => (finishedCondition(job) === undefined ? [] : [[job.metadata.uid, job]])))
  const forgotten = jobs.filter((job) => !known.has(job.metadata.uid) && finishedCondition(job) === undefined)
  return {
    active: listed.filter(({ uid }) => !ended.has(uid) && !missing.has(uid ?? "")),
    lastSuccessfulTime: lastSuccess(status?.lastSuccessfulTime, jobs),
    events: [
      ...forgotten.map(({ metadata }) =>
        warning("UnexpectedJob", `Saw a job that the controller did not create or forgot: ${metadata.name}`),
      ),
      ...listed.flatMap(({ uid }) => completionEvents(ended.get(uid))),
      ...listed.filter(({ uid }) => missing.has(uid ?? "")).map(({ name }) => normal("MissingJob", `Active job went missing: ${name}`)),
    ],
  }
}

export function normal(reason: string, message: string): EventDraft {
  return { type: "Normal", reason, message }
}

export function warning(reason: string, message: string): EventDraft {
  return { type: "Warning", reason, message }
}

function completionEvents(job: Job | undefined): readonly EventDraft[] {
  if (job === undefined) return []
  return [normal("SawCompletedJob", `Saw completed job: ${job.metadata.name}, condition: ${finishedCondition(job)?.type}`)]
}

function lastSuccess(before: string | undefined, jobs: readonly Job[]): string | undefined {
  const times = jobs.filter((job) => finishedCondition(job)?.type === "Complete").flatMap(({ status }) => status?.completionTime ?? [])
  return times.reduce((last, time) => (last === undefined || parseTime(time) > parseTime(last) ? time : last), before)
}
