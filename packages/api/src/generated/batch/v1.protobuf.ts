// Written by `npm run generate` (tools/generate/protobuf.ts); the notation is explained in src/protobuf/table.ts.
export const table = `
@CronJob metadata!meta/v1.ObjectMeta spec!CronJobSpec status!CronJobStatus
@CronJobList metadata!meta/v1.ListMeta items+CronJob
CronJobSpec schedule! startingDeadlineSeconds?l concurrencyPolicy. suspend?b jobTemplate!JobTemplateSpec successfulJobsHistoryLimit?i failedJobsHistoryLimit?i timeZone?
CronJobStatus active*core/v1.ObjectReference lastScheduleTime=4?t lastSuccessfulTime?t
@Job metadata!meta/v1.ObjectMeta spec!JobSpec status!JobStatus
JobCondition type! status! lastProbeTime!t lastTransitionTime!t reason. message.
@JobList metadata!meta/v1.ListMeta items+Job
JobSpec parallelism?i completions?i activeDeadlineSeconds?l selector?meta/v1.LabelSelector manualSelector?b template!core/v1.PodTemplateSpec backoffLimit?i ttlSecondsAfterFinished?i completionMode? suspend?b podFailurePolicy?PodFailurePolicy backoffLimitPerIndex?i maxFailedIndexes?i podReplacementPolicy? managedBy? successPolicy?SuccessPolicy
JobStatus conditions*JobCondition startTime?t completionTime?t active.i succeeded.i failed.i completedIndexes. uncountedTerminatedPods?UncountedTerminatedPods ready?i failedIndexes? terminating?i
JobTemplateSpec metadata!meta/v1.ObjectMeta spec!JobSpec
PodFailurePolicy rules+PodFailurePolicyRule
PodFailurePolicyOnExitCodesRequirement containerName? operator! values+i
PodFailurePolicyOnPodConditionsPattern type! status!
PodFailurePolicyRule action! onExitCodes?PodFailurePolicyOnExitCodesRequirement onPodConditions*PodFailurePolicyOnPodConditionsPattern
SuccessPolicy rules+SuccessPolicyRule
SuccessPolicyRule succeededIndexes? succeededCount?i
UncountedTerminatedPods succeeded* failed*
`
