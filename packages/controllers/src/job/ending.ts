import { parseTime, secondsInMilliseconds } from "@pilothouse/api"
import type { Job, JobCondition, SuccessPolicyRule } from "@pilothouse/api/batch/v1"
import type { Pod } from "@pilothouse/api/core/v1"
import { completionsOf } from "./pods/completion-index.ts"
import { failJobMessage } from "./pods/failure-policy.ts"
import { countCommon, countIndexes, parseRanges, type Ranges } from "./pods/index-ranges.ts"
import type { Tally } from "./tally.ts"

/** Why a Job ends. Once said it stays so: a Job that has succeeded never fails later, and the reverse. */
export interface Ending {
  /** What is said while pods are still on their way out; Complete or Failed follow when they are gone. */
  readonly type: "SuccessCriteriaMet" | "FailureTarget"
  readonly reason: string
  readonly message: string
}

/** The first reason that holds. That all completions are reached is not among them: it depends on what becomes of the active pods. */
export function endingOf(job: Job, pods: readonly Pod[], tally: Tally, now: number): Ending | undefined {
  return (
    saidBefore(job, "SuccessCriteriaMet") ??
    saidBefore(job, "FailureTarget") ??
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

/** Milliseconds until the deadline; undefined for a Job without one, and while it is suspended: the time runs only while it is active. */
export function untilDeadline({ spec, status }: Job, now: number): number | undefined {
  if (spec?.activeDeadlineSeconds === undefined || spec.suspend === true) return undefined
  const started = status?.startTime ? parseTime(status.startTime) : now
  return started + secondsInMilliseconds(spec.activeDeadlineSeconds) - now
}

function saidBefore({ status }: Job, type: Ending["type"]): Ending | undefined {
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

/** Containers that are started again in place count too. 1 restart is one too many for a limit of 0, and for a limit of 1: upstream has it so. */
function restartsExceed(limit: number, { spec }: Job, pods: readonly Pod[]): boolean {
  if (spec?.template.spec?.restartPolicy !== "OnFailure") return false
  const live = pods.filter(({ status }) => status?.phase === "Running" || status?.phase === "Pending")
  const containers = live.flatMap(({ status }) => [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])])
  const restarts = containers.reduce((sum, { restartCount }) => sum + restartCount, 0)
  return restarts > 0 && restarts >= limit
}

function deadlineExceeded(job: Job, now: number): Ending | undefined {
  const left = untilDeadline(job, now)
  return left !== undefined && left <= 0 ? failure("DeadlineExceeded", "Job was active longer than specified deadline") : undefined
}

function indexesFailed(job: Job, { indexes }: Tally): Ending | undefined {
  if (indexes?.failed === undefined) return undefined
  const failed = countIndexes(indexes.failed)
  const most = job.spec?.maxFailedIndexes
  if (most !== undefined && failed > most) {
    return failure("MaxFailedIndexesExceeded", "Job has exceeded the specified maximal number of failed indexes")
  }
  const allDecided = failed + countIndexes(indexes.succeeded) >= completionsOf(job)
  return failed > 0 && allDecided ? failure("FailedIndexes", "Job has failed indexes") : undefined
}

function policyMet(job: Job, { indexes }: Tally): Ending | undefined {
  const message = indexes && successPolicyMessage(job, indexes.succeeded)
  return message === undefined ? undefined : { type: "SuccessCriteriaMet", reason: "SuccessPolicy", message }
}

/** Why the Job has succeeded before all its indexes have; undefined when it has not. The first rule that holds decides. */
export function successPolicyMessage(job: Job, succeeded: Ranges): string | undefined {
  const rules = job.spec?.successPolicy?.rules ?? []
  const met = rules.findIndex((rule) => isMet(rule, succeeded, completionsOf(job)))
  return met === -1 ? undefined : `Matched rules at index ${met}`
}

/** All of the indexes it names, or as many of them as it counts; without names, as many as it counts of any. */
function isMet({ succeededIndexes, succeededCount }: SuccessPolicyRule, succeeded: Ranges, completions: number): boolean {
  if (succeededIndexes === undefined) return succeededCount !== undefined && countIndexes(succeeded) >= succeededCount
  const named = parseRanges(succeededIndexes, completions)
  if (named.length === 0) return false
  const common = countCommon(named, succeeded)
  return common === countIndexes(named) || (succeededCount !== undefined && common >= succeededCount)
}
