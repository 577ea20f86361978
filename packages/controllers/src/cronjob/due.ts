import { parseTime, secondsInMilliseconds } from "@pilothouse/api"
import type { CronJob } from "@pilothouse/api/batch/v1"
import type { Schedule } from "./schedule.ts"

/** Milliseconds after the scheduled time: a clock that is slightly ahead must not reconcile too soon. */
const late = 100

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

/** More missed runs than this indicate a problem and are reported in an event. */
const many = 100

/**
 * Missed runs are estimated, not counted: a clock that is wrong by decades must not keep the controller busy for hours.
 * The estimate takes the time between the first two runs for the time between any two; the newest run is then looked for near its end.
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

/** Runs that are stepped through before the newest is searched for. */
const maxSteps = 100

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
