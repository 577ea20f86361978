import { parseTime, secondsInMilliseconds } from "@pilothouse/api"
import type { Job, JobCondition, SuccessPolicyRule } from "@pilothouse/api/batch/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import { completionCount } from "./pods/completion-index.ts"
import { failJobMessage } from "./pods/failure-policy.ts"
import { countCommon, countIndexes, parseRanges, type Ranges } from "./pods/index-ranges.ts"
import type { Tally } from "./tally.ts"

/** Why a Job ends. Once recorded it is final: a Job that has succeeded never fails later, and the reverse. */
export interface Ending {
  /** The condition while pods are still terminating; Complete or Failed follows when they are gone. */
  readonly type: "SuccessCriteriaMet" | "FailureTarget"
  readonly reason: string
  readonly message: string
}

/** Returns the first reason that holds. Reached completions are not among them: they depend on the active pods. */
export function findEnding(job: Job, pods: readonly Pod[], tally: Tally, now: number): Ending | undefined {
  return (
    recordedEnding(job, "SuccessCriteriaMet") ??
    recordedEnding(job, "FailureTarget") ??
    failure("PodFailurePolicy", failJobMessage(job, pods)) ??
    limitExceeded(job, pods, tally) ??
    deadlineExceeded(job, now) ??
    indexesFailed(job, tally) ??
    policyMet(job, tally)
  )
}

export const completionsReached: Ending = {
  type: "SuccessCriteriaMet",
  reason: "CompletionsReached",
  message: "Reached expected number of succeeded pods",
}

/** Returns the milliseconds until the deadline; undefined without one and while the Job is suspended, because only active time counts. */
export function timeUntilDeadline({ spec, status }: Job, now: number): number | undefined {
  if (spec?.activeDeadlineSeconds === undefined || spec.suspend === true) return undefined
  const started = status?.startTime ? parseTime(status.startTime) : now
  return started + secondsInMilliseconds(spec.activeDeadlineSeconds) - now
}

function recordedEnding({ status }: Job, type: Ending["type"]): Ending | undefined {
  const said = status?.conditions?.find((condition: JobCondition) => condition.type === type && condition.status === "True")
  return said && { type, reason: said.reason ?? "", message: said.message ?? "" }
}

function failure(reason: string, message: string | undefined): Ending | undefined {
  return message === undefined ? undefined : { type: "FailureTarget", reason, message }
}

function limitExceeded(job: Job, pods: readonly Pod[], { failed }: Tally): Ending | undefined {
  const limit = job.spec?.backoffLimit ?? 6
  const exceeded = failed > limit || restartsExceed(limit, job, pods)
  return exceeded ? failure("BackoffLimitExceeded", "Job has reached the specified backoff limit") : undefined
}

/** Restarts in place count too. As upstream, one restart exceeds a limit of 0 and also a limit of 1. */
function restartsExceed(limit: number, { spec }: Job, pods: readonly Pod[]): boolean {
  if (spec?.template.spec?.restartPolicy !== "OnFailure") return false
  const live = pods.filter(({ status }) => status?.phase === "Running" || status?.phase === "Pending")
  const containers = live.flatMap(({ status }) => [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])])
  const restarts = containers.reduce((sum, { restartCount }) => sum + restartCount, 0)
  return restarts > 0 && restarts >= limit
}

function deadlineExceeded(job: Job, now: number): Ending | undefined {
  const left = timeUntilDeadline(job, now)
  return left !== undefined && left <= 0 ? failure("DeadlineExceeded", "Job was active longer than specified deadline") : undefined
}

function indexesFailed(job: Job, { indexes }: Tally): Ending | undefined {
  if (indexes?.failed === undefined) return undefined
  const failed = countIndexes(indexes.failed)
  const max = job.spec?.maxFailedIndexes
  if (max !== undefined && failed > max) {
    return failure("MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes")
  }
  const allDecided = failed + countIndexes(indexes.succeeded) >= completionCount(job)
  return failed > 0 && allDecided ? failure("FailedIndexes", "Job has failed indexes") : undefined
}

function policyMet(job: Job, { indexes }: Tally): Ending | undefined {
  const message = indexes && successPolicyMessage(job, indexes.succeeded)
  return message === undefined ? undefined : { type: "SuccessCriteriaMet", reason: "SuccessPolicy", message }
}

/** Returns why the success policy is met; undefined when it is not. The first rule that holds decides. */
export function successPolicyMessage(job: Job, succeeded: Ranges): string | undefined {
  const rules = job.spec?.successPolicy?.rules ?? []
  const met = rules.findIndex((rule) => isMet(rule, succeeded, completionCount(job)))
  return met === -1 ? undefined : `Matched rules at index ${met}`
}

/** A rule is met by all of its indexes or by succeededCount of them; without indexes, by succeededCount of any. */
function isMet({ succeededIndexes, succeededCount }: SuccessPolicyRule, succeeded: Ranges, completions: number): boolean {
  if (succeededIndexes === undefined) return succeededCount !== undefined && countIndexes(succeeded) >= succeededCount
  const named = parseRanges(succeededIndexes, completions)
  if (named.length === 0) return false
  const common = countCommon(named, succeeded)
  return common === countIndexes(named) || (succeededCount !== undefined && common >= succeededCount)
}
