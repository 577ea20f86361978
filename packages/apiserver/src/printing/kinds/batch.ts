import type { CronJob, Job } from "@pilothouse/api/batch/v1"
import { containerColumns, none, selectorText } from "../columns/cells.ts"
import { ageColumn, integer, nameColumn, text, wide } from "../columns/column.ts"
import { age, humanDuration } from "../columns/human-duration.ts"
import { type Printer, printer } from "../columns/printer.ts"

const job = printer<Job>(
  nameColumn,
  text("Status", jobStatus),
  text("Completions", completions),
  text("Duration", jobDuration),
  ageColumn,
  ...containerColumns<Job>(({ spec }) => spec?.template?.spec?.containers),
  wide(text("Selector", ({ spec }) => selectorText(spec?.selector))),
)

function jobStatus({ metadata, status }: Job): string {
  const is = (type: string) => status?.conditions?.find((condition) => condition.type === type)?.status === "True"
  if (is("Complete")) return "Complete"
  if (is("Failed")) return "Failed"
  if (metadata.deletionTimestamp !== undefined) return "Terminating"
  return ["Suspended", "FailureTarget", "SuccessCriteriaMet"].find(is) ?? "Running"
}

/** Without a number of completions any success ends the job: "0/1 of 3" says that three pods try. */
function completions({ spec, status }: Job): string {
  const succeeded = status?.succeeded ?? 0
  if (spec?.completions !== undefined) return `${succeeded}/${spec.completions}`
  const parallelism = spec?.parallelism ?? 0
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`
}

function jobDuration({ status }: Job, now: number): string {
  if (status?.startTime === undefined) return ""
  const end = status.completionTime === undefined ? now : Date.parse(status.completionTime)
  return humanDuration(end - Date.parse(status.startTime))
}

const cronJob = printer<CronJob>(
  nameColumn,
  text("Schedule", ({ spec }) => spec?.schedule),
  text("Timezone", ({ spec }) => spec?.timeZone ?? none),
  // Upstream calls the column a boolean and fills it with a word.
  { name: "Suspend", type: "boolean", cell: ({ spec }) => suspendText(spec?.suspend) },
  integer("Active", ({ status }) => status?.active?.length),
  text("Last Schedule", ({ status }, now) => (status?.lastScheduleTime === undefined ? none : age(status.lastScheduleTime, now))),
  ageColumn,
  ...containerColumns<CronJob>(({ spec }) => spec?.jobTemplate?.spec?.template?.spec?.containers),
  wide(text("Selector", ({ spec }) => selectorText(spec?.jobTemplate?.spec?.selector))),
)

function suspendText(suspend: boolean | undefined): string {
  if (suspend === undefined) return "<unset>"
  return suspend ? "True" : "False"
}

export const batchPrinters: Readonly<Record<string, Printer<never>>> = { "batch/CronJob": cronJob, "batch/Job": job }
