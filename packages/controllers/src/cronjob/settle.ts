import { deepEqual, hasCause } from "@pilothouse/api"
import type { CronJob, CronJobStatus, Job } from "@pilothouse/api/batch/v1"
import type { ObjectReference } from "@pilothouse/api/core/v1"
import { type DecideContext, type Plan, type PlanBuilder, plan, type Result } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import { isFinished } from "../job/finished.ts"
import { decideSync } from "./decide.ts"
import type { Observed } from "./observe.ts"
import { rememberSchedule } from "./seen-schedules.ts"

/** Adds the started Job to the status, removes the deleted ones, and records events. */
export function settle(observed: Observed, results: readonly Result[], { now }: DecideContext): Plan {
  const { cronJob } = observed
  const decision = decideSync(observed, now)
  const built = plan()
  for (const { type, reason, message } of decision.events) built.event(cronJob, type, reason, message)
  for (const result of results) recordEvent(built, cronJob, result)
  const job = decision.found ?? createdIn(results)
  const deleted = deletedIn(results)
  const active = [
    ...(decision.status.active ?? []).filter(({ uid }) => !deleted.has(uid)),
    ...(job && !isFinished(job) ? [referenceTo(job)] : []),
  ]
  const status: CronJobStatus = {
    ...decision.status,
    active: active.length === 0 ? undefined : active,
    ...(job && { lastScheduleTime: decision.lastScheduleTime }),
  }
  const reason = job === undefined ? `${active.length} Jobs are active` : `${job.metadata.name} was started`
  if (!deepEqual(status, cronJob.status ?? {})) built.status(cronJob, status, reason)
  return withRememberedSchedule(built, observed)
}

/** Last: a reconcile whose status was refused is retried, and must still find the schedule new. */
function withRememberedSchedule(built: PlanBuilder, { cronJob, unseenSchedule }: Observed): Plan {
  if (unseenSchedule === undefined) return built
  if (built.steps.length > 0) built.nextStep()
  return built.operation(rememberSchedule(cronJob, unseenSchedule))
}

function createdIn(results: readonly Result[]): Job | undefined {
  const created = results.find(({ operation, ok }) => operation.do === "create" && ok === true)
  return created?.ok === true ? (created.object as Job | undefined) : undefined
}

function deletedIn(results: readonly Result[]): ReadonlySet<string | undefined> {
  return new Set(results.flatMap(({ operation, ok }) => (operation.do === "delete" && ok === true ? [operation.object.metadata.uid] : [])))
}

function referenceTo({ metadata: { namespace, name, uid, resourceVersion } }: Job): ObjectReference {
  return { apiVersion: "batch/v1", kind: "Job", namespace, name, uid, resourceVersion }
}

function recordEvent(built: PlanBuilder, cronJob: CronJob, result: Result): void {
  const { operation } = result
  if (operation.do !== "create" && operation.do !== "delete") return
  const { name } = operation.object.metadata
  if (result.ok === false && !hasCause(result.error, "NamespaceTerminating")) {
    const [reason, doing] = operation.do === "create" ? ["FailedCreate", "Error creating job"] : ["FailedDelete", "Deleted job"]
    built.event(cronJob, "Warning", reason, `${doing}: ${messageOf(result.error)}`)
  }
  if (result.ok !== true) return
  if (operation.do === "delete") built.event(cronJob, "Normal", "SuccessfulDelete", `Deleted job ${name}`)
  else if (result.object !== undefined) built.event(cronJob, "Normal", "SuccessfulCreate", `Created job ${name}`)
}
