import { type FieldError, fieldError } from "@pilothouse/api"
import type { JobChange } from "./job-status-change.ts"

const conditions = "status.conditions"

/** Each row: what must not be, and how that is said. */
export function jobConditionErrors({ job, is, turned, changed }: JobChange): readonly FieldError[] {
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
export function jobRegressionErrors(change: JobChange): readonly FieldError[] {
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
