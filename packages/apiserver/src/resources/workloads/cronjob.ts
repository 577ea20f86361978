import { type FieldError, fieldError, maxScheduleLength, parseCronSchedule, ScheduleFault } from "@pilothouse/api"
import type { CronJob } from "@pilothouse/api/batch/v1"
import { nonNegative, oneOf } from "../../validation/field-rules.ts"
import { restartErrors } from "../../validation/jobs/job-spec.ts"
import { validatePodTemplate } from "../../validation/pods/pod-spec.ts"
import type { ResourceStrategy } from "../resource.ts"
import { defaultTemplate } from "./pod-spec-defaults.ts"

/** A job's name is the cron job's with eleven characters more. */
const nameLimit = 52

export const cronJob: ResourceStrategy<CronJob> = {
  defaults({ spec }) {
    if (spec === undefined) return
    spec.concurrencyPolicy ??= "Allow"
    spec.suspend ??= false
    spec.successfulJobsHistoryLimit ??= 3
    spec.failedJobsHistoryLimit ??= 1
    defaultTemplate(spec.jobTemplate?.spec?.template)
  },
  prepareForCreate(object) {
    object.status = {}
  },
  validate: ({ metadata, spec }) => [
    ...((metadata.name ?? "").length > nameLimit
      ? [fieldError.invalid("metadata.name", metadata.name, "must be no more than 52 characters")]
      : []),
    ...scheduleErrors(spec),
    ...oneOf(spec?.concurrencyPolicy, ["Allow", "Forbid", "Replace"], "spec.concurrencyPolicy"),
    ...nonNegative(spec?.startingDeadlineSeconds, "spec.startingDeadlineSeconds"),
    ...nonNegative(spec?.successfulJobsHistoryLimit, "spec.successfulJobsHistoryLimit"),
    ...nonNegative(spec?.failedJobsHistoryLimit, "spec.failedJobsHistoryLimit"),
    ...templateErrors(spec),
  ],
  generation: "spec",
}

function scheduleErrors(spec: CronJob["spec"]): readonly FieldError[] {
  const { schedule = "", timeZone } = spec ?? {}
  const errors: FieldError[] = []
  if (schedule === "") errors.push(fieldError.required("spec.schedule"))
  else if (schedule.length > maxScheduleLength) errors.push(fieldError.tooLongCharacters("spec.schedule", maxScheduleLength))
  else if (/^(CRON_)?TZ/.test(schedule)) {
    const text = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
    errors.push(fieldError.invalid("spec.schedule", schedule, text))
  } else {
    const fault = scheduleFault(schedule)
    if (fault !== undefined) errors.push(fieldError.invalid("spec.schedule", schedule, fault))
  }
  if (timeZone !== undefined && !isTimeZone(timeZone)) {
    const text = timeZone === "" ? "timeZone must be nil or non-empty string" : `unknown time zone ${timeZone}`
    errors.push(fieldError.invalid("spec.timeZone", timeZone, text))
  }
  return errors
}

function scheduleFault(schedule: string): string | undefined {
  try {
    parseCronSchedule(schedule)
    return undefined
  } catch (error) {
    if (!(error instanceof ScheduleFault)) throw error
    return error.message
  }
}

function isTimeZone(name: string): boolean {
  if (name === "" || name.toLowerCase() === "local") return false
  try {
    return new Intl.DateTimeFormat("en", { timeZone: name }).resolvedOptions().timeZone !== ""
  } catch {
    // How Intl says that it does not know a zone.
    return false
  }
}

function templateErrors(spec: CronJob["spec"]): readonly FieldError[] {
  const field = "spec.jobTemplate.spec"
  const { selector, manualSelector, template } = spec?.jobTemplate?.spec ?? {}
  const policy = template?.spec?.restartPolicy ?? ""
  return [
    ...(selector === undefined ? [] : [fieldError.invalid(`${field}.selector`, selector, "`selector` will be auto-generated")]),
    ...(manualSelector === true ? [fieldError.notSupported(`${field}.manualSelector`, manualSelector, ["nil", "false"])] : []),
    ...validatePodTemplate(template, { field: `${field}.template` }),
    ...restartErrors(policy, `${field}.template.spec.restartPolicy`),
  ]
}
