import { deepEqual, type FieldError, fieldError, isConditionTrue, parseTime, quoted } from "@pilothouse/api"
import type { Job, JobStatus } from "@pilothouse/api/batch/v1"
import { nonNegative } from "../field-rules.ts"

const conditions = "status.conditions"

/** Validates a Job's status and its transitions: a finished Job has nothing left to do, and stays finished. */
export function jobStatusErrors(job: Job, oldJob: Job): readonly FieldError[] {
  const change = jobChange(job, oldJob)
  return [
    ...counterErrors(change),
    ...uncountedErrors(change),
    ...jobConditionErrors(change),
    ...timeErrors(change),
    ...finishedErrors(change),
    ...jobIndexErrors(change),
    ...jobRegressionErrors(change),
  ]
}

function counterErrors({ now, changed }: JobChange): readonly FieldError[] {
  const counters = ["active", "succeeded", "failed", "ready", "terminating"] as const
  const more = now.ready !== undefined && now.ready > (now.active ?? 0) && (changed("ready") || changed("active"))
  return [
    ...counters.flatMap((name) => nonNegative(now[name], `status.${name}`)),
    ...(more ? [fieldError.invalid("status.ready", now.ready, "cannot set more ready pods than active")] : []),
  ]
}

function uncountedErrors({ now }: JobChange): readonly FieldError[] {
  const seen = new Set<string>()
  return (["succeeded", "failed"] as const).flatMap((kind) =>
    (now.uncountedTerminatedPods?.[kind] ?? []).flatMap((uid, index) => {
      const field = `status.uncountedTerminatedPods.${kind}[${index}]`
      if (uid === "") return [fieldError.invalid(field, uid, "must not be empty")]
      if (seen.has(uid)) return [fieldError.duplicate(field, uid)]
      seen.add(uid)
      return []
    }),
  )
}

function timeErrors({ now, is, turned, changed }: JobChange): readonly FieldError[] {
  const { startTime, completionTime } = now
  const field = "status.completionTime"
  const asked = turned("Complete") || changed("completionTime")
  const before = startTime !== undefined && completionTime !== undefined && parseTime(completionTime) < parseTime(startTime)
  return [
    ...(asked && completionTime !== undefined && !is("Complete")
      ? [fieldError.invalid(field, completionTime, "cannot set completionTime when there is no Complete=True condition")]
      : []),
    ...(asked && completionTime === undefined && is("Complete")
      ? [fieldError.required(field, "completionTime is required for Complete jobs")]
      : []),
    ...(before && (changed("startTime") || changed("completionTime"))
      ? [fieldError.invalid(field, completionTime, "must be equal to or after `startTime`")]
      : []),
  ]
}

function finishedErrors({ job, now, is, was, changed }: JobChange): readonly FieldError[] {
  if (!is("Complete") && !is("Failed")) return []
  const turned = !was("Complete") && !was("Failed")
  const { uncountedTerminatedPods: uncounted, startTime } = now
  const neverBegan = job.spec?.suspend === true && job.spec.completions === 0
  const left = [...(uncounted?.succeeded ?? []), ...(uncounted?.failed ?? [])]
  const asked = (field: keyof JobStatus) => turned || changed(field)
  return [
    ...(["active", "terminating"] as const).flatMap((field) => (asked(field) ? noneLeft(now[field] ?? 0, field) : [])),
    ...(startTime === undefined && !neverBegan && asked("startTime")
      ? [fieldError.required("status.startTime", "startTime is required for finished job")]
      : []),
    ...(left.length > 0 && asked("uncountedTerminatedPods")
      ? [fieldError.invalid("status.uncountedTerminatedPods", uncounted, "must be empty for finished job")]
      : []),
  ]
}

function noneLeft(count: number, field: "active" | "terminating"): readonly FieldError[] {
  return count > 0 ? [fieldError.invalid(`status.${field}`, count, `${field}>0 is invalid for finished job`)] : []
}

/** Which indexes of a Job are done: what only an Indexed Job has, and no index is both. */
function jobIndexErrors({ job, now, changed }: JobChange): readonly FieldError[] {
  const { completedIndexes = "", failedIndexes } = now
  const { completionMode, completions, backoffLimitPerIndex } = job.spec ?? {}
  const indexed = completionMode === "Indexed"
  return [
    ...(changed("completedIndexes") ? formatErrors("completedIndexes", completedIndexes, completions) : []),
    ...(changed("failedIndexes") && backoffLimitPerIndex !== undefined ? formatErrors("failedIndexes", failedIndexes, completions) : []),
    ...(changed("completedIndexes") && completedIndexes !== "" && !indexed
      ? [
          fieldError.invalid(
            "status.completedIndexes",
            completedIndexes,
            "cannot set non-empty completedIndexes when non-indexed completion mode",
          ),
        ]
      : []),
    ...(changed("failedIndexes") && failedIndexes !== undefined && backoffLimitPerIndex === undefined
      ? [fieldError.invalid("status.failedIndexes", failedIndexes, "cannot set non-null failedIndexes when backoffLimitPerIndex is null")]
      : []),
    ...(changed("completedIndexes") || changed("failedIndexes") ? overlapErrors(completedIndexes, failedIndexes, completions) : []),
  ]
}

function formatErrors(field: "completedIndexes" | "failedIndexes", text = "", completions?: number): readonly FieldError[] {
  const fault = completions === undefined ? undefined : indexesFault(text, completions)
  return fault === undefined ? [] : [fieldError.invalid(`status.${field}`, text, `error parsing ${field}: ${fault}`)]
}

function overlapErrors(completed = "", failed?: string, completions?: number): readonly FieldError[] {
  const common = failed === undefined || completions === undefined ? undefined : commonIndex(completed, failed, completions)
  if (common === undefined) return []
  return [fieldError.invalid("status.failedIndexes", failed, `failedIndexes and completedIndexes overlap at index: ${common}`)]
}

/** From and to, both of them in it. */
type Interval = readonly [number, number]

/** "0,2-4": the indexes of a Job's pods, rising. Undefined, or what is wrong with the text, in upstream's words. */
function indexesFault(text: string, completions: number): string | undefined {
  if (text === "") return undefined
  let last = -1
  for (const part of text.split(",")) {
    const interval = intervalOf(part, completions)
    if (typeof interval === "string") return interval
    const [from, to] = interval
    if (last >= from) return disorder(last, from)
    last = to
  }
  return undefined
}

function intervalOf(text: string, completions: number): Interval | string {
  const limits = text.split("-")
  if (limits.length > 2) {
    return `the fragment ${quoted(text)} violates the requirement that an index interval can have at most two parts separated by '-'`
  }
  for (const limit of limits) {
    if (!/^\+?\d+$/.test(limit)) return `cannot convert string to integer for index: ${quoted(limit)}`
    if (Number(limit) >= completions) return `too large index: ${quoted(limit)}`
  }
  const [from = 0, to] = limits.map(Number)
  return to !== undefined && from >= to ? disorder(from, to) : [from, to ?? from]
}

function disorder(previous: number, current: number): string {
  return `non-increasing order, previous: ${previous}, current: ${current}`
}

/** The first index that is in both; parts that cannot be read are skipped here: parsing reports them. */
function commonIndex(completed: string, failed: string, completions: number): number | undefined {
  const read = (text: string) =>
    text === ""
      ? []
      : text
          .split(",")
          .flatMap((part) => [intervalOf(part, completions)])
          .filter((one): one is Interval => typeof one !== "string")
  const [left, right] = [read(completed), read(failed)]
  for (let [l, r] = [0, 0]; l < left.length && r < right.length; ) {
    const [from, to] = left[l]!
    const [begin, end] = right[r]!
    if (from <= end && begin <= to) return Math.max(from, begin)
    if (from <= begin) l++
    else r++
  }
  return undefined
}

/** Each row: what must not be, and how that is said. */
function jobConditionErrors({ job, is, turned, changed }: JobChange): readonly FieldError[] {
  const rows: readonly (readonly [boolean, string])[] = [
    [turned("Complete", "Failed") && is("Complete") && is("Failed"), "cannot set Complete=True and Failed=true conditions"],
    [
      turned("Complete", "FailureTarget") && is("Complete") && is("FailureTarget"),
      "cannot set Complete=True and FailureTarget=true conditions",
    ],
    [
      (turned("Failed") || changed("failedIndexes")) && is("Failed") && !is("FailureTarget"),
      "cannot set Failed=True condition without the FailureTarget=true condition",
    ],
    [
      turned("Complete", "SuccessCriteriaMet") && is("Complete") && !is("SuccessCriteriaMet"),
      "cannot set Complete=True condition without the SuccessCriteriaMet=true condition",
    ],
    [is("SuccessCriteriaMet") && is("Failed"), "cannot set SuccessCriteriaMet=True and Failed=true conditions"],
    [is("SuccessCriteriaMet") && is("FailureTarget"), "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions"],
    [
      job.spec?.successPolicy !== undefined && is("Complete") && !is("SuccessCriteriaMet"),
      "cannot set Complete=True for Job with SuccessPolicy unless SuccessCriteriaMet=True",
    ],
  ]
  return rows.filter(([wrong]) => wrong).map(([, text]) => fieldError.invalidWithoutValue(conditions, text))
}

/** What is over does not come back, and what was counted stays counted. */
function jobRegressionErrors(change: JobChange): readonly FieldError[] {
  return [...withdrawnErrors(change), ...countedErrors(change), ...timeChangeErrors(change)]
}

function withdrawnErrors({ is, was }: JobChange): readonly FieldError[] {
  const terminal = ["Failed", "Complete", "FailureTarget"].filter((type) => was(type) && !is(type))
  const texts = terminal.map((type) => `cannot disable the terminal ${type}=True condition`)
  if (was("SuccessCriteriaMet") && !is("SuccessCriteriaMet")) texts.push("cannot disable the SuccessCriteriaMet=True condition")
  if (was("Complete") && !was("SuccessCriteriaMet") && is("SuccessCriteriaMet")) {
    texts.push("cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions")
  }
  return texts.map((text) => fieldError.invalidWithoutValue(conditions, text))
}

function countedErrors({ job: { spec }, now, old }: JobChange): readonly FieldError[] {
  // An indexed Job may be made smaller, and then has done less.
  const shrinks = spec?.completionMode === "Indexed" && spec.completions === spec.parallelism
  const counters = shrinks ? (["failed"] as const) : (["failed", "succeeded"] as const)
  const fewer = counters.filter((counter) => (now[counter] ?? 0) < (old[counter] ?? 0))
  return fewer.map((counter) => fieldError.invalid(`status.${counter}`, now[counter] ?? 0, `cannot decrease the ${counter} counter`))
}

function timeChangeErrors({ job, now, old, is, was }: JobChange): readonly FieldError[] {
  const ended = now.completionTime !== undefined && old.completionTime !== undefined && now.completionTime !== old.completionTime
  const resumes = was("Suspended") && !is("Suspended")
  const began = old.startTime !== undefined && old.startTime !== now.startTime && job.spec?.suspend !== true && !resumes
  return [
    ...(ended ? [fieldError.invalid("status.completionTime", now.completionTime, "field is immutable")] : []),
    ...(began ? [fieldError.invalid("status.startTime", now.startTime ?? null, "field is immutable for unsuspended job once set")] : []),
  ]
}

/** A rule is asked only when what it speaks of has changed: a spec may have been changed under a status that was right before. */
interface JobChange {
  readonly job: Job
  readonly now: JobStatus
  readonly old: JobStatus
  is(type: string): boolean
  was(type: string): boolean
  /** Whether one of these conditions has come or gone. */
  turned(...types: string[]): boolean
  changed(field: keyof JobStatus): boolean
}

/** Gives the rules of a status update both statuses and which conditions turned. */
function jobChange(job: Job, oldJob: Job): JobChange {
  const [now, old] = [job.status ?? {}, oldJob.status ?? {}]
  const is = (type: string) => isConditionTrue(now.conditions, type)
  const was = (type: string) => isConditionTrue(old.conditions, type)
  return {
    job,
    now,
    old,
    is,
    was,
    turned: (...types) => types.some((type) => is(type) !== was(type)),
    changed: (field) => !deepEqual(now[field], old[field]),
  }
}
