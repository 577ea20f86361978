// Written by `npm run generate` (tools/generate/schemas.ts).
export const schema = `batch/v1 io.k8s.api.batch.v1
CronJob: @ metadata:.ObjectMeta= spec*:CronJobSpec= status:CronJobStatus=
CronJobList: @ items*:]CronJob metadata:.ListMeta=
CronJobSpec: concurrencyPolicy:s<Allow|Forbid|Replace> failedJobsHistoryLimit:i jobTemplate*:JobTemplateSpec= schedule*:s= startingDeadlineSeconds:l successfulJobsHistoryLimit:i suspend:b timeZone:s
CronJobStatus: active:[core/v1.ObjectReference lastScheduleTime:t lastSuccessfulTime:t
Job: @ metadata:.ObjectMeta= spec:JobSpec= status:JobStatus=
JobCondition: lastProbeTime:t lastTransitionTime:t message:s reason:s status*:s= type*:s=
JobList: @ items*:]Job metadata:.ListMeta=
JobSpec: activeDeadlineSeconds:l backoffLimit:i backoffLimitPerIndex:i completionMode:s<Indexed|NonIndexed> completions:i managedBy:s manualSelector:b maxFailedIndexes:i parallelism:i podFailurePolicy:PodFailurePolicy podReplacementPolicy:s<Failed|TerminatingOrFailed> selector:.LabelSelector successPolicy:SuccessPolicy suspend:b template*:core/v1.PodTemplateSpec= ttlSecondsAfterFinished:i
JobStatus: active:i completedIndexes:s completionTime:t conditions:[JobCondition&merge:type failed:i failedIndexes:s ready:i startTime:t succeeded:i terminating:i uncountedTerminatedPods:UncountedTerminatedPods
JobTemplateSpec: metadata:.ObjectMeta= spec:JobSpec=
PodFailurePolicy: rules*:[PodFailurePolicyRule
PodFailurePolicyOnExitCodesRequirement: containerName:s operator*:s<In|NotIn>= values*:%i
PodFailurePolicyOnPodConditionsPattern: status:s= type*:s=
PodFailurePolicyRule: action*:s<Count|FailIndex|FailJob|Ignore>= onExitCodes:PodFailurePolicyOnExitCodesRequirement onPodConditions:[PodFailurePolicyOnPodConditionsPattern
SuccessPolicy: rules*:[SuccessPolicyRule
SuccessPolicyRule: succeededCount:i succeededIndexes:s
UncountedTerminatedPods: failed:%s succeeded:%s
`
