import { formatTime, maxScheduleLength, parseTime, quoted, ScheduleFault, secondsInMilliseconds } from "@pilothouse/api"
import type { CronJob } from "@pilothouse/api/batch/v1"
import type { ObjectReference } from "@pilothouse/api/core/v1"
import { type EventDraft, normal, warning } from "./jobs-summary.ts"
import { jobName } from "./new-job.ts"
import { isTimeZone, parseSchedule, type Schedule } from "./schedule.ts"

/** Milliseconds after the scheduled time: a clock that is slightly ahead must not reconcile too soon. */
const late = 100

/** More missed runs than this indicate a problem and are reported in an event. */
const many = 100

/** Runs that are stepped through before the newest is searched for. */
const maxSteps = 100

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

/** The runs that are due since a CronJob last ran. */
export interface Due {
  /** The moment from which runs are counted. */
  readonly since: number
  /** The newest run that is due. */
  readonly run?: number
  readonly missed: "none" | "few" | "many"
  /** The schedule can be read, but makes no sense. */
  readonly fault?: string
}

/**
 * Returns the newest run that is due (upstream's mostRecentScheduleTime). Missed runs are estimated, not counted: a clock that is wrong by decades
 * must not keep the controller busy for hours. The estimate takes the time between the first two runs for the time between any two; the newest run
 * is then looked for near its end.
 */
export function dueRun(cronJob: CronJob, schedule: Schedule, now: number, useDeadline: boolean): Due {
  const since = earliestRun(cronJob, now, useDeadline)
  const first = schedule.next(since)
  if (first !== undefined && now < first) return { since, missed: "none" }
  const second = first === undefined ? undefined : schedule.next(first)
  if (first !== undefined && second !== undefined && now < second) return { since, run: first, missed: "none" }
  const between = second === undefined || first === undefined ? 0 : Math.round((second - first) / 1000)
  if (first === undefined || between < 1)
    return { since, missed: "none", fault: "time difference between two schedules is less than 1 second" }
  const count = Math.floor(Math.floor((now - first) / 1000) / between) + 1
  // One step further back than the estimate, for schedules that are not regular ("30 6-16/4 * * 1-5").
  const run = lastUpTo(schedule, first + (count - 2) * between * 1000, now)
  return { since, run, missed: count > many ? "many" : "few" }
}

/** Milliseconds until the next run; undefined when there is none. */
export function untilNextRun(cronJob: CronJob, schedule: Schedule, now: number): number | undefined {
  const { since, run, missed, fault } = dueRun(cronJob, schedule, now, false)
  const from = fault === undefined ? (run ?? (missed === "none" ? since : now)) : now
  const next = schedule.next(from)
  return next === undefined ? undefined : Math.max(0, next + late - now)
}

/** Nothing older than the starting deadline is started any more. */
function earliestRun({ metadata, spec, status }: CronJob, now: number, useDeadline: boolean): number {
  // The status is the user's to write. Nothing was due before 1970, and the runs since the year 1 are more than anything counts.
  const last = Math.max(0, parseTime(status?.lastScheduleTime ?? metadata.creationTimestamp ?? "1970-01-01T00:00:00Z"))
  const deadline = useDeadline ? spec.startingDeadlineSeconds : undefined
  return deadline === undefined ? last : Math.max(last, now - secondsInMilliseconds(deadline))
}

function lastUpTo(schedule: Schedule, after: number, now: number): number | undefined {
  let found: number | undefined
  let steps = 0
  for (let run = schedule.next(after); run !== undefined && run <= now; run = schedule.next(run)) {
    if (++steps > maxSteps) return newestUpTo(schedule, run, now)
    // A schedule that does not advance has no later run.
    if (found !== undefined && run <= found) return found
    found = run
  }
  return found
}

/**
 * The newest run, by halving the time between a run and now: "* * * 1-6 *" has a gap of six months, and after that a quarter of a million
 * runs. Only schedules of fields have so many; theirs do not depend on where one begins to look.
 */
function newestUpTo(schedule: Schedule, run: number, now: number): number {
  // A run lies after `low`, at or before now; none lies after `high`.
  let [low, high, newest] = [run, now, run]
  // Each step halves the time between: 64 are enough for any two moments, whatever a schedule answers.
  for (let step = 0; step < 64 && high - low > 1000; step++) {
    const middle = Math.floor((low + high) / 2)
    const next = schedule.next(middle)
    if (next === undefined || next > now || next <= middle) high = middle
    else [low, newest] = [next, next]
  }
  return newest
}
