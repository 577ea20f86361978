import { formatTime, maxScheduleLength, parseTime, quoted, ScheduleFault, secondsInMilliseconds } from "@pilothouse/api"
import type { CronJob } from "@pilothouse/api/batch/v1"
import type { ObjectReference } from "@pilothouse/api/core/v1"
import { dueRun, untilNextRun } from "./due.ts"
import { type EventDraft, normal, warning } from "./jobs-summary.ts"
import { jobName } from "./new-job.ts"
import { isTimeZone, parseSchedule, type Schedule } from "./schedule.ts"

/** Whether a run is started now, and why, or why not. */
export interface StartDecision {
  /** The moment of the run that is due and may start, in milliseconds since 1970. */
  readonly run?: number
  readonly events: readonly EventDraft[]
  /** Milliseconds until the next run. */
  readonly requeueAfter?: number
  readonly reason: string
  /** A warning among `events` is the reason. */
  readonly stuck?: boolean
}

/** Decides whether a run is due, and why not: deleted, suspended, an invalid schedule or time zone, a deadline, the concurrency policy. */
export function evaluateStart(cronJob: CronJob, active: readonly ObjectReference[], now: number): StartDecision {
  const { spec, metadata } = cronJob
  if (metadata.deletionTimestamp !== undefined) return { events: [], reason: "the CronJob is being deleted" }
  if (spec.timeZone !== undefined && spec.timeZone !== "" && !isTimeZone(spec.timeZone)) {
    const message = `invalid timeZone: ${quoted(spec.timeZone)}: unknown time zone ${spec.timeZone}`
    return { events: [warning("UnknownTimeZone", message)], reason: message, stuck: true }
  }
  if (spec.suspend === true) return { events: [], reason: "the CronJob is suspended" }
  const { schedule, events } = readSchedule(cronJob)
  if (schedule === undefined) return { events, reason: events.at(-1)?.message ?? "", stuck: true }
  const start = dueStart(cronJob, schedule, active, now)
  return { ...start, events: [...events, ...start.events] }
}

/** A time zone inside the schedule is still supported, without a promise. */
function readSchedule({ spec }: CronJob): { readonly schedule?: Schedule; readonly events: readonly EventDraft[] } {
  const text = spec.schedule
  const help = "see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details"
  const zoned = text.includes("TZ")
  const events = zoned
    ? [warning("UnsupportedSchedule", `CRON_TZ or TZ used in schedule ${quoted(text)} is not officially supported, ${help}`)]
    : []
  try {
    return { schedule: parseSchedule(text, zoned ? undefined : spec.timeZone || undefined), events }
  } catch (error) {
    if (!(error instanceof ScheduleFault)) throw error
    return {
      events: [
        ...events,
        warning("UnparseableSchedule", `unparseable schedule: ${quoted(text.slice(0, maxScheduleLength))} : ${error.message}`),
      ],
    }
  }
}

function dueStart(cronJob: CronJob, schedule: Schedule, active: readonly ObjectReference[], now: number): StartDecision {
  const { run, missed, fault } = dueRun(cronJob, schedule, now, true)
  if (fault !== undefined) {
    const message = `invalid schedule: ${cronJob.spec.schedule} : ${fault}`
    // Upstream's words for a date that never comes speak of something else.
    const never = schedule.next(now) === undefined ? ": no date that it names ever comes; mend spec.schedule" : ""
    return { events: [warning("InvalidSchedule", message)], reason: `${message}${never}`, stuck: true }
  }
  const requeueAfter = untilNextRun(cronJob, schedule, now)
  if (run === undefined) return { events: [], requeueAfter, reason: "no run is due" }
  const tooMany = "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew"
  const events = missed === "many" ? [warning("TooManyMissedTimes", tooMany)] : []
  const obstacle = obstacleTo(cronJob, run, active, now)
  if (obstacle !== undefined)
    return { events: [...events, ...obstacle.events], requeueAfter, reason: obstacle.reason, stuck: obstacle.stuck }
  const started = { ...cronJob, status: { ...cronJob.status, lastScheduleTime: formatTime(run) } }
  return { run, events, requeueAfter: untilNextRun(started, schedule, now), reason: `the run of ${formatTime(run)} is due` }
}

function obstacleTo(
  { metadata, spec, status }: CronJob,
  run: number,
  active: readonly ObjectReference[],
  now: number,
): StartDecision | undefined {
  if (spec.startingDeadlineSeconds !== undefined && run + secondsInMilliseconds(spec.startingDeadlineSeconds) < now) {
    const message = `Missed scheduled time to start a job: ${formatRfc1123(run)}`
    return { events: [warning("MissSchedule", message)], reason: message, stuck: true }
  }
  const name = jobName({ metadata, spec } as CronJob, run)
  const started = status?.lastScheduleTime !== undefined && parseTime(status.lastScheduleTime) === run
  if (started || active.some((job) => job.name === name)) return { events: [], reason: `the run of ${formatTime(run)} was started` }
  if (spec.concurrencyPolicy !== "Forbid" || active.length === 0) return undefined
  const message = "Not starting job because prior execution is running and concurrency policy is Forbid"
  return { events: [normal("JobAlreadyActive", message)], reason: message }
}

/** "Mon, 05 Jan 2026 12:00:00 +0000" */
function formatRfc1123(moment: number): string {
  return new Date(moment).toUTCString().replace("GMT", "+0000")
}
