// Written by `npm run generate` (tools/generate/protobuf.ts); the notation is explained in src/protobuf/table.ts.
export const table = `
@ControllerRevision metadata!meta/v1.ObjectMeta data!r revision!l
@ControllerRevisionList metadata!meta/v1.ListMeta items+ControllerRevision
@DaemonSet metadata!meta/v1.ObjectMeta spec!DaemonSetSpec status!DaemonSetStatus
DaemonSetCondition type! status! lastTransitionTime!t reason. message.
@DaemonSetList metadata!meta/v1.ListMeta items+DaemonSet
DaemonSetSpec selector&meta/v1.LabelSelector template!core/v1.PodTemplateSpec updateStrategy!DaemonSetUpdateStrategy minReadySeconds.i revisionHistoryLimit=6?i
DaemonSetStatus currentNumberScheduled!i numberMisscheduled!i desiredNumberScheduled!i numberReady!i observedGeneration.l updatedNumberScheduled.i numberAvailable.i numberUnavailable.i collisionCount?i conditions*DaemonSetCondition
DaemonSetUpdateStrategy type. rollingUpdate?RollingUpdateDaemonSet
@Deployment metadata!meta/v1.ObjectMeta spec!DeploymentSpec status!DeploymentStatus
DeploymentCondition type! status! reason=4. message. lastUpdateTime!t lastTransitionTime!t
@DeploymentList metadata!meta/v1.ListMeta items+Deployment
DeploymentSpec replicas?i selector&meta/v1.LabelSelector template!core/v1.PodTemplateSpec strategy!DeploymentStrategy minReadySeconds.i revisionHistoryLimit?i paused.b progressDeadlineSeconds=9?i
DeploymentStatus observedGeneration.l replicas.i updatedReplicas.i availableReplicas.i unavailableReplicas.i conditions*DeploymentCondition readyReplicas.i collisionCount?i terminatingReplicas?i
DeploymentStrategy type. rollingUpdate?RollingUpdateDeployment
@ReplicaSet metadata!meta/v1.ObjectMeta spec!ReplicaSetSpec status!ReplicaSetStatus
ReplicaSetCondition type! status! lastTransitionTime!t reason. message.
@ReplicaSetList metadata!meta/v1.ListMeta items+ReplicaSet
ReplicaSetSpec replicas?i selector&meta/v1.LabelSelector template!core/v1.PodTemplateSpec minReadySeconds.i
ReplicaSetStatus replicas!i fullyLabeledReplicas.i observedGeneration.l readyReplicas.i availableReplicas.i conditions*ReplicaSetCondition terminatingReplicas?i
RollingUpdateDaemonSet maxUnavailable?x maxSurge?x
RollingUpdateDeployment maxUnavailable?x maxSurge?x
RollingUpdateStatefulSetStrategy partition?i maxUnavailable?x
@StatefulSet metadata!meta/v1.ObjectMeta spec!StatefulSetSpec status!StatefulSetStatus
StatefulSetCondition type! status! lastTransitionTime!t reason. message.
@StatefulSetList metadata!meta/v1.ListMeta items+StatefulSet
StatefulSetOrdinals start!i
StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted. whenScaled.
StatefulSetSpec replicas?i selector&meta/v1.LabelSelector template!core/v1.PodTemplateSpec volumeClaimTemplates*core/v1.PersistentVolumeClaim serviceName! podManagementPolicy. updateStrategy!StatefulSetUpdateStrategy revisionHistoryLimit?i minReadySeconds.i persistentVolumeClaimRetentionPolicy?StatefulSetPersistentVolumeClaimRetentionPolicy ordinals?StatefulSetOrdinals
StatefulSetStatus observedGeneration.l replicas!i readyReplicas.i currentReplicas.i updatedReplicas.i currentRevision. updateRevision. collisionCount=9?i conditions*StatefulSetCondition availableReplicas!i
StatefulSetUpdateStrategy type. rollingUpdate?RollingUpdateStatefulSetStrategy
`
