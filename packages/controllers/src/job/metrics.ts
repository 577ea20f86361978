import type { Job, JobStatus } from "@pilothouse/api/batch/v1"
import type { ReconcileResult, Result } from "@pilothouse/runtime"
import type { Metrics } from "@pilothouse/seams"
import { createMetrics } from "../shared/metric-families.ts"
import { completionsOf, hasValidIndex, isIndexed } from "./completion-index.ts"
import { isAtWork } from "./decide.ts"
import { finishedCondition } from "./finished.ts"
import { hasLimitPerIndex } from "./index-failures.ts"
import { countIndexes, parseRanges } from "./index-ranges.ts"
import { jobFamilies } from "./metric-families.ts"
import type { Observed, Work } from "./observe.ts"
import { judgeFailure } from "./pod-failure-policy.ts"
import { hasPodFailed } from "./pod-outcome.ts"
import { untrackedBy } from "./tracking-finalizer.ts"

export type JobMetrics = ReturnType<typeof jobMetrics>

/** Counts what became of each look at a Job. */
export function jobMetrics(metrics: Metrics) {
  const made = createMetrics(metrics, jobFamilies)
  return {
    ...made,
    ended(_key: string, { observed, results, error, milliseconds }: ReconcileResult<Observed>): void {
      if (observed === undefined || !isAtWork(observed)) return
      const { work } = observed
      const completion_mode = modeOf(work.job)
      const about = { completion_mode, result: error === undefined ? "success" : "error", action: actionIn(results) }
      made.syncs.add(1, about)
      made.seconds.observe(milliseconds / 1000, about)
      countCreated(made.created, work, results)
      countVerdicts(made, work, results)
      const status = statusIn(results)
      if (status !== undefined) countFinished(made, work, status)
    },
  }
}

type Made = ReturnType<typeof createMetrics<typeof jobFamilies>>

export function modeOf(job: Job): string {
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
  const completion_mode = modeOf(job)
  const before = job.status ?? {}
  const succeeded = (of: JobStatus) => (isIndexed(job) ? indexCount(of.completedIndexes, job) : (of.succeeded ?? 0))
  add(made.podsFinished, succeeded(status) - succeeded(before), { completion_mode, result: "succeeded" })
  add(made.podsFinished, (status.failed ?? 0) - (before.failed ?? 0), { completion_mode, result: "failed" })
  if (isIndexed(job)) {
    const backoffLimit = hasLimitPerIndex(job) ? "perIndex" : "global"
    add(made.indexes, succeeded(status) - succeeded(before), { status: "succeeded", backoffLimit })
    add(made.indexes, indexCount(status.failedIndexes, job) - indexCount(before.failedIndexes, job), { status: "failed", backoffLimit })
  }
  const end = finishedCondition({ ...job, status })
  if (end === undefined || finishedCondition(job) !== undefined) return
  made.finished.add(1, { completion_mode, result: end.type === "Complete" ? "succeeded" : "failed", reason: end.reason ?? "" })
}

/** Pods that have failed and are let go, which happens once to each, by what the Job's policy says of them: an ignored one is noted nowhere else. */
function countVerdicts(made: Made, { job }: Work, results: readonly Result[]): void {
  if (job.spec?.podFailurePolicy === undefined) return
  for (const { operation, ok } of results) {
    const pod = ok === true ? untrackedBy(operation) : undefined
    if (pod === undefined || !hasPodFailed(pod, job) || !hasValidIndex(pod, job)) continue
    const { action } = judgeFailure(job, pod)
    if (action !== undefined) made.handled.add(1, { action })
  }
}

function indexCount(text: string | undefined, job: Job): number {
  return countIndexes(parseRanges(text, completionsOf(job)))
}

/** Counters only grow: a Job that was made smaller has fewer of its indexes than before. */
function add(counter: Made["indexes"], count: number, labels: Readonly<Record<string, string>>): void {
  if (count > 0) counter.add(count, labels)
}
