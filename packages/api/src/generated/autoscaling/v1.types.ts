// Written by `npm run generate` (tools/generate/types.ts).
import type { ListMeta, ObjectMeta } from "../../meta/meta.ts"
import type { Int64, Time } from "../../quantity/scalars.ts"

export interface CrossVersionObjectReference {
  readonly apiVersion?: string
  readonly kind: string
  readonly name: string
}

export interface HorizontalPodAutoscaler {
  readonly apiVersion: "autoscaling/v1"
  readonly kind: "HorizontalPodAutoscaler"
  readonly metadata: ObjectMeta
  readonly spec: HorizontalPodAutoscalerSpec
  readonly status?: HorizontalPodAutoscalerStatus
}

export interface HorizontalPodAutoscalerList {
  readonly apiVersion: "autoscaling/v1"
  readonly kind: "HorizontalPodAutoscalerList"
  readonly metadata: ListMeta
  readonly items: readonly HorizontalPodAutoscaler[]
}

export interface HorizontalPodAutoscalerSpec {
  readonly maxReplicas: number
  readonly minReplicas?: number
  readonly scaleTargetRef: CrossVersionObjectReference
  readonly targetCPUUtilizationPercentage?: number
}

export interface HorizontalPodAutoscalerStatus {
  readonly currentCPUUtilizationPercentage?: number
  readonly currentReplicas: number
  readonly desiredReplicas: number
  readonly lastScaleTime?: Time
  readonly observedGeneration?: Int64
}

export interface Scale {
  readonly apiVersion: "autoscaling/v1"
  readonly kind: "Scale"
  readonly metadata: ObjectMeta
  readonly spec?: ScaleSpec
  readonly status?: ScaleStatus
}

export interface ScaleSpec {
  readonly replicas?: number
}

export interface ScaleStatus {
  readonly replicas: number
  readonly selector?: string
}
