import { isConditionTrue } from "@pilothouse/api"
import type { Job, JobStatus } from "@pilothouse/api/batch/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import { type DecideContext, type Plan, type PlanBuilder, plan, type Result } from "@pilothouse/runtime"
import { recordPodEvents } from "../shared/pod-events.ts"
import { addStep, isAtWork, releases, summary } from "./decide.ts"
import type { Observed, Work } from "./observe.ts"
import { type Done, sameStatus, statusAfter } from "./status.ts"
import { type JobSync, releasesLast, syncJob } from "./sync-job.ts"
import { podUid, trackPods } from "./tracking.ts"

/** Moves released pods from uncounted to the counters, finishes the Job when no pod is left, and records events. */
export function settle(observed: Observed, results: readonly Result[], { now }: DecideContext): Plan {
  const built = plan()
  if (!isAtWork(observed)) return built
  const { job } = observed.work
  recordPodEvents(built, job, results)
  const noted = results.find(({ operation }) => operation.do === "status")
  if (noted?.ok === false) return built
  const done = doneIn(results)
  const sync = withoutUnstopped(syncJob(observed.work, now), observed.work, done)
  const status = statusAfter(job, sync, done, now)
  // After the first status write the Job has a newer resourceVersion and another status to compare with.
  const current = (noted?.ok === true ? (noted.object as Job | undefined) : undefined) ?? job
  if (!sameStatus(current.status, status)) built.status(current, status, summary(sync))
  if (releasesLast(sync) || hasUnstoppedPods(sync, done)) addStep(built, releases(sync.tracking.release, sync))
  return recordStatusEvents(built, job, status)
}

/** Reports whether a pod that the end of the Job should stop still runs. In that case no pod was recorded or released. */
function hasUnstoppedPods({ stop }: JobSync, { deleted }: Done): boolean {
  return stop.some((pod) => !deleted.has(podUid(pod)))
}

/** Leaves out pods that could not be stopped, because they have not failed. All others are recorded now and released after that. */
function withoutUnstopped(sync: JobSync, { job, pods }: Work, done: Done): JobSync {
  if (!hasUnstoppedPods(sync, done)) return sync
  const { tally, ending, stop } = sync
  const stays = (pod: Pod) => stop.includes(pod) && !done.deleted.has(podUid(pod))
  return { ...sync, tracking: trackPods(job, pods, tally, ending, stays) }
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

function recordStatusEvents(built: PlanBuilder, job: Job, { conditions, succeeded = 0 }: JobStatus): Plan {
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
