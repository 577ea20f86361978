import { isConditionTrue } from "@pilothouse/api"
import type { Job, JobStatus } from "@pilothouse/api/batch/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import { type DecideContext, type Plan, type PlanBuilder, plan, type Result } from "@pilothouse/runtime"
import { recordPodEvents } from "../shared/pod-events.ts"
import { isAtWork, releases, step, summary } from "./decide.ts"
import type { Observed, Work } from "./observe.ts"
import { type Done, sameStatus, statusAfter } from "./status.ts"
import { type Course, courseOf, releasesLast } from "./sync-job.ts"
import { trackingOf, uidOf } from "./tracking.ts"

/** Moves what was let go from uncounted to the counters, ends the Job where nothing is left of it, and tells people what happened. */
export function settle(observed: Observed, results: readonly Result[], { now }: DecideContext): Plan {
  const built = plan()
  if (!isAtWork(observed)) return built
  const { job } = observed.work
  recordPodEvents(built, job, results)
  const noted = results.find(({ operation }) => operation.do === "status")
  if (noted?.ok === false) return built
  const done = doneIn(results)
  const course = withoutUnstopped(courseOf(observed.work, now), observed.work, done)
  const status = statusAfter(job, course, done, now)
  // After the notes the Job has a newer resourceVersion, and another status to compare with.
  const current = (noted?.ok === true ? (noted.object as Job | undefined) : undefined) ?? job
  if (!sameStatus(current.status, status)) built.status(current, status, summary(course))
  if (releasesLast(course) || isUnstopped(course, done)) step(built, releases(course.tracking.release, course))
  return tellOfChange(built, job, status)
}

/** Whether a pod that the Job's end should stop runs on: nobody was noted or let go then. */
function isUnstopped({ stop }: Course, { deleted }: Done): boolean {
  return stop.some((pod) => !deleted.has(uidOf(pod)))
}

/** A pod that could not be stopped has not failed. All others are noted now, and let go after that. */
function withoutUnstopped(course: Course, { job, pods }: Work, done: Done): Course {
  if (!isUnstopped(course, done)) return course
  const { tally, ending, stop } = course
  const stays = (pod: Pod) => stop.includes(pod) && !done.deleted.has(uidOf(pod))
  return { ...course, tracking: trackingOf(job, pods, tally, ending, stays) }
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
