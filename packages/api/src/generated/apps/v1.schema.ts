// Written by `npm run generate` (tools/generate/schemas.ts).
export const schema = `apps/v1 io.k8s.api.apps.v1
ControllerRevision: @ data:r metadata:.ObjectMeta= revision*:l=
ControllerRevisionList: @ items*:]ControllerRevision metadata:.ListMeta=
DaemonSet: @ metadata:.ObjectMeta= spec:DaemonSetSpec= status:DaemonSetStatus=
DaemonSetCondition: lastTransitionTime:t message:s reason:s status*:s= type*:s=
DaemonSetList: @ items*:]DaemonSet metadata:.ListMeta=
DaemonSetSpec: minReadySeconds:i revisionHistoryLimit:i selector*:.LabelSelector template*:core/v1.PodTemplateSpec= updateStrategy:DaemonSetUpdateStrategy=
DaemonSetStatus: collisionCount:i conditions:(type)DaemonSetCondition&merge:type currentNumberScheduled*:i= desiredNumberScheduled*:i= numberAvailable:i numberMisscheduled*:i= numberReady*:i= numberUnavailable:i observedGeneration:l updatedNumberScheduled:i
DaemonSetUpdateStrategy: rollingUpdate:RollingUpdateDaemonSet type:s<OnDelete|RollingUpdate>
Deployment: @ metadata:.ObjectMeta= spec:DeploymentSpec= status:DeploymentStatus=
DeploymentCondition: lastTransitionTime:t lastUpdateTime:t message:s reason:s status*:s= type*:s=
DeploymentList: @ items*:]Deployment metadata:.ListMeta=
DeploymentSpec: minReadySeconds:i paused:b progressDeadlineSeconds:i replicas:i revisionHistoryLimit:i selector*:.LabelSelector strategy:DeploymentStrategy&retainKeys= template*:core/v1.PodTemplateSpec=
DeploymentStatus: availableReplicas:i collisionCount:i conditions:(type)DeploymentCondition&merge:type observedGeneration:l readyReplicas:i replicas:i terminatingReplicas:i unavailableReplicas:i updatedReplicas:i
DeploymentStrategy: rollingUpdate:RollingUpdateDeployment type:s<Recreate|RollingUpdate>
ReplicaSet: @ metadata:.ObjectMeta= spec:ReplicaSetSpec= status:ReplicaSetStatus=
ReplicaSetCondition: lastTransitionTime:t message:s reason:s status*:s= type*:s=
ReplicaSetList: @ items*:]ReplicaSet metadata:.ListMeta=
ReplicaSetSpec: minReadySeconds:i replicas:i selector*:.LabelSelector template:core/v1.PodTemplateSpec=
ReplicaSetStatus: availableReplicas:i conditions:(type)ReplicaSetCondition&merge:type fullyLabeledReplicas:i observedGeneration:l readyReplicas:i replicas*:i= terminatingReplicas:i
RollingUpdateDaemonSet: maxSurge:o maxUnavailable:o
RollingUpdateDeployment: maxSurge:o maxUnavailable:o
RollingUpdateStatefulSetStrategy: maxUnavailable:o partition:i
StatefulSet: @ metadata:.ObjectMeta= spec:StatefulSetSpec= status:StatefulSetStatus=
StatefulSetCondition: lastTransitionTime:t message:s reason:s status*:s= type*:s=
StatefulSetList: @ items*:]StatefulSet metadata:.ListMeta=
StatefulSetOrdinals: start:i=
StatefulSetPersistentVolumeClaimRetentionPolicy: whenDeleted:s whenScaled:s
StatefulSetSpec: minReadySeconds:i ordinals:StatefulSetOrdinals persistentVolumeClaimRetentionPolicy:StatefulSetPersistentVolumeClaimRetentionPolicy podManagementPolicy:s<OrderedReady|Parallel> replicas:i revisionHistoryLimit:i selector*:.LabelSelector serviceName:s= template*:core/v1.PodTemplateSpec= updateStrategy:StatefulSetUpdateStrategy= volumeClaimTemplates:[core/v1.PersistentVolumeClaim
StatefulSetStatus: availableReplicas:i= collisionCount:i conditions:(type)StatefulSetCondition&merge:type currentReplicas:i currentRevision:s observedGeneration:l readyReplicas:i replicas*:i= updateRevision:s updatedReplicas:i
StatefulSetUpdateStrategy: rollingUpdate:RollingUpdateStatefulSetStrategy type:s<OnDelete|RollingUpdate>
`
