// Written by `npm run generate` (tools/generate/types.ts).
import type { LabelSelector, ListMeta, ObjectMeta } from "../../meta/meta.ts"
import type { Int64, IntOrString, Time } from "../../quantity/scalars.ts"
import type { PersistentVolumeClaim, PodTemplateSpec } from "../core/v1.types.ts"

export interface ControllerRevision {
  readonly apiVersion: "apps/v1"
  readonly kind: "ControllerRevision"
  readonly metadata: ObjectMeta
  readonly data?: unknown
  readonly revision: Int64
}

export interface ControllerRevisionList {
  readonly apiVersion: "apps/v1"
  readonly kind: "ControllerRevisionList"
  readonly metadata: ListMeta
  readonly items: readonly ControllerRevision[]
}

export interface DaemonSet {
  readonly apiVersion: "apps/v1"
  readonly kind: "DaemonSet"
  readonly metadata: ObjectMeta
  readonly spec?: DaemonSetSpec
  readonly status?: DaemonSetStatus
}

export interface DaemonSetCondition {
  readonly lastTransitionTime?: Time
  readonly message?: string
  readonly reason?: string
  readonly status: string
  readonly type: string
}

export interface DaemonSetList {
  readonly apiVersion: "apps/v1"
  readonly kind: "DaemonSetList"
  readonly metadata: ListMeta
  readonly items: readonly DaemonSet[]
}

export interface DaemonSetSpec {
  readonly minReadySeconds?: number
  readonly revisionHistoryLimit?: number
  readonly selector: LabelSelector
  readonly template: PodTemplateSpec
  readonly updateStrategy?: DaemonSetUpdateStrategy
}

export interface DaemonSetStatus {
  readonly collisionCount?: number
  readonly conditions?: readonly DaemonSetCondition[]
  readonly currentNumberScheduled: number
  readonly desiredNumberScheduled: number
  readonly numberAvailable?: number
  readonly numberMisscheduled: number
  readonly numberReady: number
  readonly numberUnavailable?: number
  readonly observedGeneration?: Int64
  readonly updatedNumberScheduled?: number
}

export interface DaemonSetUpdateStrategy {
  readonly rollingUpdate?: RollingUpdateDaemonSet
  readonly type?: "OnDelete" | "RollingUpdate"
}

export interface Deployment {
  readonly apiVersion: "apps/v1"
  readonly kind: "Deployment"
  readonly metadata: ObjectMeta
  readonly spec?: DeploymentSpec
  readonly status?: DeploymentStatus
}

export interface DeploymentCondition {
  readonly lastTransitionTime?: Time
  readonly lastUpdateTime?: Time
  readonly message?: string
  readonly reason?: string
  readonly status: string
  readonly type: string
}

export interface DeploymentList {
  readonly apiVersion: "apps/v1"
  readonly kind: "DeploymentList"
  readonly metadata: ListMeta
  readonly items: readonly Deployment[]
}

export interface DeploymentSpec {
  readonly minReadySeconds?: number
  readonly paused?: boolean
  readonly progressDeadlineSeconds?: number
  readonly replicas?: number
  readonly revisionHistoryLimit?: number
  readonly selector: LabelSelector
  readonly strategy?: DeploymentStrategy
  readonly template: PodTemplateSpec
}

export interface DeploymentStatus {
  readonly availableReplicas?: number
  readonly collisionCount?: number
  readonly conditions?: readonly DeploymentCondition[]
  readonly observedGeneration?: Int64
  readonly readyReplicas?: number
  readonly replicas?: number
  readonly terminatingReplicas?: number
  readonly unavailableReplicas?: number
  readonly updatedReplicas?: number
}

export interface DeploymentStrategy {
  readonly rollingUpdate?: RollingUpdateDeployment
  readonly type?: "Recreate" | "RollingUpdate"
}

export interface ReplicaSet {
  readonly apiVersion: "apps/v1"
  readonly kind: "ReplicaSet"
  readonly metadata: ObjectMeta
  readonly spec?: ReplicaSetSpec
  readonly status?: ReplicaSetStatus
}

export interface ReplicaSetCondition {
  readonly lastTransitionTime?: Time
  readonly message?: string
  readonly reason?: string
  readonly status: string
  readonly type: string
}

export interface ReplicaSetList {
  readonly apiVersion: "apps/v1"
  readonly kind: "ReplicaSetList"
  readonly metadata: ListMeta
  readonly items: readonly ReplicaSet[]
}

export interface ReplicaSetSpec {
  readonly minReadySeconds?: number
  readonly replicas?: number
  readonly selector: LabelSelector
  readonly template?: PodTemplateSpec
}

export interface ReplicaSetStatus {
  readonly availableReplicas?: number
  readonly conditions?: readonly ReplicaSetCondition[]
  readonly fullyLabeledReplicas?: number
  readonly observedGeneration?: Int64
  readonly readyReplicas?: number
  readonly replicas: number
  readonly terminatingReplicas?: number
}

export interface RollingUpdateDaemonSet {
  readonly maxSurge?: IntOrString
  readonly maxUnavailable?: IntOrString
}

export interface RollingUpdateDeployment {
  readonly maxSurge?: IntOrString
  readonly maxUnavailable?: IntOrString
}

export interface RollingUpdateStatefulSetStrategy {
  readonly maxUnavailable?: IntOrString
  readonly partition?: number
}

export interface StatefulSet {
  readonly apiVersion: "apps/v1"
  readonly kind: "StatefulSet"
  readonly metadata: ObjectMeta
  readonly spec?: StatefulSetSpec
  readonly status?: StatefulSetStatus
}

export interface StatefulSetCondition {
  readonly lastTransitionTime?: Time
  readonly message?: string
  readonly reason?: string
  readonly status: string
  readonly type: string
}

export interface StatefulSetList {
  readonly apiVersion: "apps/v1"
  readonly kind: "StatefulSetList"
  readonly metadata: ListMeta
  readonly items: readonly StatefulSet[]
}

export interface StatefulSetOrdinals {
  readonly start?: number
}

export interface StatefulSetPersistentVolumeClaimRetentionPolicy {
  readonly whenDeleted?: string
  readonly whenScaled?: string
}

export interface StatefulSetSpec {
  readonly minReadySeconds?: number
  readonly ordinals?: StatefulSetOrdinals
  readonly persistentVolumeClaimRetentionPolicy?: StatefulSetPersistentVolumeClaimRetentionPolicy
  readonly podManagementPolicy?: "OrderedReady" | "Parallel"
  readonly replicas?: number
  readonly revisionHistoryLimit?: number
  readonly selector: LabelSelector
  readonly serviceName?: string
  readonly template: PodTemplateSpec
  readonly updateStrategy?: StatefulSetUpdateStrategy
  readonly volumeClaimTemplates?: readonly PersistentVolumeClaim[]
}

export interface StatefulSetStatus {
  readonly availableReplicas?: number
  readonly collisionCount?: number
  readonly conditions?: readonly StatefulSetCondition[]
  readonly currentReplicas?: number
  readonly currentRevision?: string
  readonly observedGeneration?: Int64
  readonly readyReplicas?: number
  readonly replicas: number
  readonly updateRevision?: string
  readonly updatedReplicas?: number
}

export interface StatefulSetUpdateStrategy {
  readonly rollingUpdate?: RollingUpdateStatefulSetStrategy
  readonly type?: "OnDelete" | "RollingUpdate"
}
