import { isPodTerminal, keyOf } from "@pilothouse/api"
import { type Job, type JobStatus, jobs } from "@pilothouse/api/batch/v1"
import { type Pod, pods } from "@pilothouse/api/core/v1"
import { type CacheObserver, cacheObserver, type ReconcileResult, type Result } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { counterFamily, createMetrics, exponentialBuckets, histogramFamily } from "../shared/metric-families.ts"
import { staleSkipsFamily } from "../shared/stale-sync-skips.ts"
import { isAtWork } from "./decide.ts"
import { finishedCondition } from "./finished.ts"
import type { Observed, Work } from "./observe.ts"
import { completionCount, hasValidIndex, isIndexed } from "./pods/completion-index.ts"
import { judgeFailure } from "./pods/failure-policy.ts"
import { hasLimitPerIndex } from "./pods/index-failures.ts"
import { countIndexes, parseRanges } from "./pods/index-ranges.ts"
import { hasPodFailed } from "./pods/pod-outcome.ts"
import { isTracked, podUntrackedBy } from "./pods/tracking-finalizer.ts"

const subsystem = "job_controller"
const ofSync = ["completion_mode", "result", "action"]

export const jobFamilies = {
  seconds: histogramFamily(
    `${subsystem}_job_sync_duration_seconds`,
    ofSync,
    "How long the reconcile of a Job took",
    exponentialBuckets(0.004, 2, 15),
  ),
  syncs: counterFamily(`${subsystem}_job_syncs_total`, ofSync, "Reconciles of Jobs, by what was done"),
  finished: counterFamily(`${subsystem}_jobs_finished_total`, ["completion_mode", "result", "reason"], "Jobs that have ended"),
  external: counterFamily(
    `${subsystem}_jobs_by_external_controller_total`,
    ["controller_name"],
    "Jobs that another controller manages; after a hundred names all further ones are `other`",
  ),
  podsFinished: counterFamily(
    `${subsystem}_job_pods_finished_total`,
    ["completion_mode", "result"],
    "Pods of Jobs that have ended and were counted",
  ),
  handled: counterFamily(
    `${subsystem}_pod_failures_handled_by_failure_policy_total`,
    ["action"],
    "Pods that failed and were matched by a rule of their Job's failure policy",
  ),
  tracked: counterFamily(
    `${subsystem}_terminated_pods_tracking_finalizer_total`,
    ["event"],
    "Pods that have ended and got (add) or lost (delete) the finalizer they are tracked by",
  ),
  indexes: counterFamily(`${subsystem}_job_finished_indexes_total`, ["status", "backoffLimit"], "Indexes that are done or have failed"),
  created: counterFamily(`${subsystem}_job_pods_creation_total`, ["reason", "status"], "Pods that were made for Jobs, or could not be"),
  skips: staleSkipsFamily(subsystem, "Jobs"),
}

export type JobMetrics = ReturnType<typeof jobMetrics>

/** Records the result of each reconcile of a Job. */
export function jobMetrics(metrics: Metrics) {
  const made = createMetrics(metrics, jobFamilies)
  return {
    ...made,
    recordReconcile(_key: string, { observed, results, error, milliseconds }: ReconcileResult<Observed>): void {
      if (observed === undefined || !isAtWork(observed)) return
      const { work } = observed
      const completion_mode = completionMode(work.job)
      const about = { completion_mode, result: error === undefined ? "success" : "error", action: actionIn(results) }
      made.syncs.add(1, about)
      made.seconds.observe(milliseconds / 1000, about)
      countCreated(made.created, work, results)
      countHandledFailures(made, work, results)
      const status = statusIn(results)
      if (status !== undefined) countFinished(made, work, status)
    },
  }
}

type Made = ReturnType<typeof createMetrics<typeof jobFamilies>>

export function completionMode(job: Job): string {
  return isIndexed(job) ? "Indexed" : "NonIndexed"
}

function actionIn(results: readonly Result[]): string {
  const did = (verb: string) => results.some(({ operation, ok }) => operation.do === verb && ok !== "skipped")
  return did("create") ? "pods_created" : did("delete") ? "pods_deleted" : did("patch") ? "tracking" : "reconciling"
}

function countCreated(created: Made["created"], { job, pods }: Work, results: readonly Result[]): void {
  const failed = (job.status?.failed ?? 0) > 0 || pods.some((pod) => hasPodFailed(pod, job))
  const terminating = pods.some(({ metadata }) => metadata.deletionTimestamp !== undefined)
  const waits = job.spec?.podReplacementPolicy === "Failed"
  const reason = waits && failed ? "recreate_failed" : failed || terminating ? "recreate_terminating_or_failed" : "new"
  for (const [ok, status] of [[true, "succeeded"] as const, [false, "failed"] as const]) {
    const count = results.filter((result) => result.operation.do === "create" && result.ok === ok).length
    if (count > 0) created.add(count, { reason, status })
  }
}

/** The last status that was written. */
function statusIn(results: readonly Result[]): JobStatus | undefined {
  const written = results.findLast(({ operation, ok }) => operation.do === "status" && ok === true)
  return written?.operation.do === "status" ? (written.operation.status as JobStatus) : undefined
}

function countFinished(made: Made, work: Work, status: JobStatus): void {
  const { job } = work
  const completion_mode = completionMode(job)
  const before = job.status ?? {}
  const newIndexes = (now: string | undefined, old: string | undefined) => newIndexCount(now, old, job)
  const indexed = isIndexed(job)
  const succeeded = indexed
    ? newIndexes(status.completedIndexes, before.completedIndexes)
    : (status.succeeded ?? 0) - (before.succeeded ?? 0)
  add(made.podsFinished, succeeded, { completion_mode, result: "succeeded" })
  add(made.podsFinished, (status.failed ?? 0) - (before.failed ?? 0), { completion_mode, result: "failed" })
  if (indexed) {
    const backoffLimit = hasLimitPerIndex(job) ? "perIndex" : "global"
    add(made.indexes, succeeded, { status: "succeeded", backoffLimit })
    add(made.indexes, newIndexes(status.failedIndexes, before.failedIndexes), { status: "failed", backoffLimit })
  }
  const end = finishedCondition({ ...job, status })
  if (end === undefined || finishedCondition(job) !== undefined) return
  made.finished.add(1, { completion_mode, result: end.type === "Complete" ? "succeeded" : "failed", reason: end.reason ?? "" })
}

/** Counts failed pods by the action of the Job's failure policy when they are released, which happens once to each; ignored failures are recorded nowhere else. */
function countHandledFailures(made: Made, { job }: Work, results: readonly Result[]): void {
  if (job.spec?.podFailurePolicy === undefined) return
  for (const { operation, ok } of results) {
    const pod = ok === true ? podUntrackedBy(operation) : undefined
    if (pod === undefined || !hasPodFailed(pod, job) || !hasValidIndex(pod, job)) continue
    const { action } = judgeFailure(job, pod)
    if (action !== undefined) made.handled.add(1, { action })
  }
}

/** How many more indexes there are than before. Equal texts are not parsed: they may have 100,000 ranges. */
function newIndexCount(now: string | undefined, before: string | undefined, job: Job): number {
  if (now === before) return 0
  const count = (text: string | undefined) => countIndexes(parseRanges(text, completionCount(job)))
  return count(now) - count(before)
}

/** Adds only positive counts: a Job that was scaled down has fewer finished indexes than before. */
function add(counter: Made["indexes"], count: number, labels: Readonly<Record<string, string>>): void {
  if (count > 0) counter.add(count, labels)
}

/** The most names of external controllers that get a series of their own. The name is user input and a series is never removed; upstream has no limit. */
const maxNamedManagers = 100
/** The label for all further names. No managedBy equals it, because managedBy contains a slash. */
const otherManagers = "other"

/** Counts changes of Jobs and pods that only the caches show, such as finalizers that other clients remove. */
export function podAndJobObservers({ tracked, external }: JobMetrics): readonly CacheObserver[] {
  const seen = new Set<string>()
  const named = new Set<string>()
  const labelOf = (manager: string) => {
    if (named.size < maxNamedManagers) named.add(manager)
    return named.has(manager) ? manager : otherManagers
  }
  return [
    cacheObserver(pods, {
      restart() {},
      changed(change) {
        const was = change.type === "updated" && isEndedAndTracked(change.old)
        const is = change.type !== "deleted" && isEndedAndTracked(change.object)
        if (change.type === "deleted" ? isEndedAndTracked(change.object) : was !== is) tracked.add(1, { event: is ? "add" : "delete" })
      },
    }),
    cacheObserver(jobs, {
      restart: () => seen.clear(),
      changed({ type, object }) {
        const manager = otherManager(object)
        const key = keyOf(object)
        if (type === "deleted") seen.delete(key)
        if (type !== "added" || manager === undefined || seen.has(key)) return
        seen.add(key)
        external.add(1, { controller_name: labelOf(manager) })
      },
    }),
  ]
}

function isEndedAndTracked(pod: Pod): boolean {
  return isPodTerminal(pod) && isTracked(pod)
}

function otherManager({ spec }: Job): string | undefined {
  const { managedBy } = spec ?? {}
  return managedBy === "kubernetes.io/job-controller" ? undefined : managedBy
}
