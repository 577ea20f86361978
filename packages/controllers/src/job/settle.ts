import { hasCause, isConditionTrue } from "@pilothouse/api"
import type { Job, JobStatus } from "@pilothouse/api/batch/v1"
import { type DecideContext, type Plan, type PlanBuilder, plan, type Result } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import { courseOf, releasesLast } from "./course.ts"
import { isAtWork, releases, step, summary } from "./decide.ts"
import type { Observed } from "./observe.ts"
import { type Done, sameStatus, statusAfter } from "./status.ts"

/** Moves what was let go from uncounted to the counters, ends the Job where nothing is left of it, and tells people what happened. */
export function settle(observed: Observed, results: readonly Result[], { now }: DecideContext): Plan {
  const built = plan()
  const noted = results.find(({ operation }) => operation.do === "status")
  if (!isAtWork(observed) || (noted !== undefined && noted.ok !== true)) return built
  const { job } = observed.work
  for (const result of results) tell(built, job, result)
  const course = courseOf(observed.work, now)
  const status = statusAfter(job, course, doneIn(results), now)
  // After the notes the Job has a newer resourceVersion, and another status to compare with.
  const current = (noted?.ok === true ? (noted.object as Job | undefined) : undefined) ?? job
  if (!sameStatus(current.status, status)) built.status(current, status, summary(course))
  if (releasesLast(course)) step(built, releases(course.tracking.release, course))
  return tellOfChange(built, job, status)
}

function doneIn(results: readonly Result[]): Done {
  const untracked = new Set<string>()
  const deleted = new Set<string>()
  let created = 0
  for (const { operation, ok } of results) {
    if (ok !== true) continue
    if (operation.do === "patch") untracked.add(operation.object.metadata.uid ?? "")
    if (operation.do === "delete") deleted.add(operation.object.metadata.uid ?? "")
    if (operation.do === "create") created++
  }
  return { untracked, deleted, created }
}

function tell(built: PlanBuilder, job: Job, result: Result): void {
  const { operation } = result
  if (operation.do !== "create" && operation.do !== "delete") return
  const [verb, done, doing] = operation.do === "create" ? ["Create", "Created", "creating"] : ["Delete", "Deleted", "deleting"]
  if (result.ok === true) {
    const { name } = (result.object ?? operation.object).metadata
    built.event(job, "Normal", `Successful${verb}`, `${done} pod: ${name}`)
  } else if (result.ok === false && !hasCause(result.error, "NamespaceTerminating")) {
    built.event(job, "Warning", `Failed${verb}`, `Error ${doing}: ${messageOf(result.error)}`)
  }
}

function tellOfChange(built: PlanBuilder, job: Job, { conditions, succeeded = 0 }: JobStatus): Plan {
  const became = (type: string) => isConditionTrue(conditions, type) && !isConditionTrue(job.status?.conditions, type)
  if (became("Suspended")) built.event(job, "Normal", "Suspended", "Job suspended")
  if (isConditionTrue(job.status?.conditions, "Suspended") && !isConditionTrue(conditions, "Suspended")) {
    built.event(job, "Normal", "Resumed", "Job resumed")
  }
  if (became("Complete")) {
    if (succeeded > (job.spec?.completions ?? succeeded)) {
      built.event(job, "Warning", "TooManySucceededPods", "Too many succeeded pods running after completion count reached")
    }
    built.event(job, "Normal", "Completed", "Job completed")
  }
  const failed = conditions?.find(({ type }) => type === "Failed")
  if (became("Failed") && failed !== undefined) built.event(job, "Warning", failed.reason ?? "", failed.message ?? "")
  return built
}
