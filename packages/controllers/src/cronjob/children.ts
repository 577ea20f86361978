import { parseTime } from "@pilothouse/api"
import type { CronJob, Job } from "@pilothouse/api/batch/v1"
import type { ObjectReference } from "@pilothouse/api/core/v1"
import { finishedCondition } from "../job/finished.ts"

/** Something to be told to people. */
export interface Said {
  readonly type: "Normal" | "Warning"
  readonly reason: string
  readonly message: string
}

export interface Children {
  readonly active: readonly ObjectReference[]
  readonly lastSuccessfulTime?: string
  readonly said: readonly Said[]
}

/** The list of active Jobs, without those that have ended and those that the server does not have any more. */
export function childrenOf({ status }: CronJob, jobs: readonly Job[], missing: ReadonlySet<string>): Children {
  const listed = status?.active ?? []
  const known = new Set(listed.map(({ uid }) => uid))
  const ended = new Map(jobs.flatMap((job) => (finishedCondition(job) === undefined ? [] : [[job.metadata.uid, job]])))
  const forgotten = jobs.filter((job) => !known.has(job.metadata.uid) && finishedCondition(job) === undefined)
  return {
    active: listed.filter(({ uid }) => !ended.has(uid) && !missing.has(uid ?? "")),
    lastSuccessfulTime: lastSuccess(status?.lastSuccessfulTime, jobs),
    said: [
      ...forgotten.map(({ metadata }) =>
        warning("UnexpectedJob", `Saw a job that the controller did not create or forgot: ${metadata.name}`),
      ),
      ...listed.flatMap(({ uid }) => sawEnd(ended.get(uid))),
      ...listed.filter(({ uid }) => missing.has(uid ?? "")).map(({ name }) => normal("MissingJob", `Active job went missing: ${name}`)),
    ],
  }
}

export function normal(reason: string, message: string): Said {
  return { type: "Normal", reason, message }
}

export function warning(reason: string, message: string): Said {
  return { type: "Warning", reason, message }
}

function sawEnd(job: Job | undefined): readonly Said[] {
  if (job === undefined) return []
  return [normal("SawCompletedJob", `Saw completed job: ${job.metadata.name}, condition: ${finishedCondition(job)?.type}`)]
}

function lastSuccess(before: string | undefined, jobs: readonly Job[]): string | undefined {
  const times = jobs.filter((job) => finishedCondition(job)?.type === "Complete").flatMap(({ status }) => status?.completionTime ?? [])
  return times.reduce((last, time) => (last === undefined || parseTime(time) > parseTime(last) ? time : last), before)
}
