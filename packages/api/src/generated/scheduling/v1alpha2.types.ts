// Written by `npm run generate` (tools/generate/types.ts).
import type { ListMeta, ObjectMeta } from "../../meta/meta.ts"
import type { Condition } from "../meta/v1.types.ts"

export type BasicSchedulingPolicy = Readonly<Record<string, never>>

export interface GangSchedulingPolicy {
  readonly minCount: number
}

export interface PodGroup {
  readonly apiVersion: "scheduling.k8s.io/v1alpha2"
  readonly kind: "PodGroup"
  readonly metadata: ObjectMeta
  readonly spec: PodGroupSpec
  readonly status?: PodGroupStatus
}

export interface PodGroupList {
  readonly apiVersion: "scheduling.k8s.io/v1alpha2"
  readonly kind: "PodGroupList"
  readonly metadata: ListMeta
  readonly items: readonly PodGroup[]
}

export interface PodGroupResourceClaim {
  readonly name: string
  readonly resourceClaimName?: string
  readonly resourceClaimTemplateName?: string
}

export interface PodGroupResourceClaimStatus {
  readonly name: string
  readonly resourceClaimName?: string
}

export interface PodGroupSchedulingConstraints {
  readonly topology?: readonly TopologyConstraint[]
}

export interface PodGroupSchedulingPolicy {
  readonly basic?: BasicSchedulingPolicy
  readonly gang?: GangSchedulingPolicy
}

export interface PodGroupSpec {
  readonly disruptionMode?: "Pod" | "PodGroup"
  readonly podGroupTemplateRef?: PodGroupTemplateReference
  readonly priority?: number
  readonly priorityClassName?: string
  readonly resourceClaims?: readonly PodGroupResourceClaim[]
  readonly schedulingConstraints?: PodGroupSchedulingConstraints
  readonly schedulingPolicy: PodGroupSchedulingPolicy
}

export interface PodGroupStatus {
  readonly conditions?: readonly Condition[]
  readonly resourceClaimStatuses?: readonly PodGroupResourceClaimStatus[]
}

export interface PodGroupTemplate {
  readonly disruptionMode?: "Pod" | "PodGroup"
  readonly name: string
  readonly priority?: number
  readonly priorityClassName?: string
  readonly resourceClaims?: readonly PodGroupResourceClaim[]
  readonly schedulingConstraints?: PodGroupSchedulingConstraints
  readonly schedulingPolicy: PodGroupSchedulingPolicy
}

export interface PodGroupTemplateReference {
  readonly workload?: WorkloadPodGroupTemplateReference
}

export interface TopologyConstraint {
  readonly key: string
}

export interface TypedLocalObjectReference {
  readonly apiGroup?: string
  readonly kind: string
  readonly name: string
}

export interface Workload {
  readonly apiVersion: "scheduling.k8s.io/v1alpha2"
  readonly kind: "Workload"
  readonly metadata: ObjectMeta
  readonly spec: WorkloadSpec
}

export interface WorkloadList {
  readonly apiVersion: "scheduling.k8s.io/v1alpha2"
  readonly kind: "WorkloadList"
  readonly metadata: ListMeta
  readonly items: readonly Workload[]
}

export interface WorkloadPodGroupTemplateReference {
  readonly podGroupTemplateName: string
  readonly workloadName: string
}

export interface WorkloadSpec {
  readonly controllerRef?: TypedLocalObjectReference
  readonly podGroupTemplates: readonly PodGroupTemplate[]
}
