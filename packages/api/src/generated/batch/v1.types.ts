// Written by `npm run generate` (tools/generate/types.ts).
import type { LabelSelector, ListMeta, ObjectMeta } from "../../meta/meta.ts"
import type { Int64, Time } from "../../quantity/scalars.ts"
import type { ObjectReference, PodTemplateSpec } from "../core/v1.types.ts"

export interface CronJob {
  readonly apiVersion: "batch/v1"
  readonly kind: "CronJob"
  readonly metadata: ObjectMeta
  readonly spec: CronJobSpec
  readonly status?: CronJobStatus
}

export interface CronJobList {
  readonly apiVersion: "batch/v1"
  readonly kind: "CronJobList"
  readonly metadata: ListMeta
  readonly items: readonly CronJob[]
}

export interface CronJobSpec {
  readonly concurrencyPolicy?: "Allow" | "Forbid" | "Replace"
  readonly failedJobsHistoryLimit?: number
  readonly jobTemplate: JobTemplateSpec
  readonly schedule: string
  readonly startingDeadlineSeconds?: Int64
  readonly successfulJobsHistoryLimit?: number
  readonly suspend?: boolean
  readonly timeZone?: string
}

export interface CronJobStatus {
  readonly active?: readonly ObjectReference[]
  readonly lastScheduleTime?: Time
  readonly lastSuccessfulTime?: Time
}

export interface Job {
  readonly apiVersion: "batch/v1"
  readonly kind: "Job"
  readonly metadata: ObjectMeta
  readonly spec?: JobSpec
  readonly status?: JobStatus
}

export interface JobCondition {
  readonly lastProbeTime?: Time
  readonly lastTransitionTime?: Time
  readonly message?: string
  readonly reason?: string
  readonly status: string
  readonly type: string
}

export interface JobList {
  readonly apiVersion: "batch/v1"
  readonly kind: "JobList"
  readonly metadata: ListMeta
  readonly items: readonly Job[]
}

export interface JobSpec {
  readonly activeDeadlineSeconds?: Int64
  readonly backoffLimit?: number
  readonly backoffLimitPerIndex?: number
  readonly completionMode?: "Indexed" | "NonIndexed"
  readonly completions?: number
  readonly managedBy?: string
  readonly manualSelector?: boolean
  readonly maxFailedIndexes?: number
  readonly parallelism?: number
  readonly podFailurePolicy?: PodFailurePolicy
  readonly podReplacementPolicy?: "Failed" | "TerminatingOrFailed"
  readonly selector?: LabelSelector
  readonly successPolicy?: SuccessPolicy
  readonly suspend?: boolean
  readonly template: PodTemplateSpec
  readonly ttlSecondsAfterFinished?: number
}

export interface JobStatus {
  readonly active?: number
  readonly completedIndexes?: string
  readonly completionTime?: Time
  readonly conditions?: readonly JobCondition[]
  readonly failed?: number
  readonly failedIndexes?: string
  readonly ready?: number
  readonly startTime?: Time
  readonly succeeded?: number
  readonly terminating?: number
  readonly uncountedTerminatedPods?: UncountedTerminatedPods
}

export interface JobTemplateSpec {
  readonly metadata?: ObjectMeta
  readonly spec?: JobSpec
}

export interface PodFailurePolicy {
  readonly rules: readonly PodFailurePolicyRule[]
}

export interface PodFailurePolicyOnExitCodesRequirement {
  readonly containerName?: string
  readonly operator: "In" | "NotIn"
  readonly values: readonly number[]
}

export interface PodFailurePolicyOnPodConditionsPattern {
  readonly status?: string
  readonly type: string
}

export interface PodFailurePolicyRule {
  readonly action: "Count" | "FailIndex" | "FailJob" | "Ignore"
  readonly onExitCodes?: PodFailurePolicyOnExitCodesRequirement
  readonly onPodConditions?: readonly PodFailurePolicyOnPodConditionsPattern[]
}

export interface SuccessPolicy {
  readonly rules: readonly SuccessPolicyRule[]
}

export interface SuccessPolicyRule {
  readonly succeededCount?: number
  readonly succeededIndexes?: string
}

export interface UncountedTerminatedPods {
  readonly failed?: readonly string[]
  readonly succeeded?: readonly string[]
}
