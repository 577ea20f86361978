// Written by `npm run generate` (tools/generate/types.ts).
import type { ListMeta, ObjectMeta } from "../../meta/meta.ts"
import type { Int64, Time } from "../../quantity/scalars.ts"
import type { Condition } from "../meta/v1.types.ts"

export interface DeviceTaint {
  readonly effect: "NoExecute" | "NoSchedule" | "None"
  readonly key: string
  readonly timeAdded?: Time
  readonly value?: string
}

export interface DeviceTaintRule {
  readonly apiVersion: "resource.k8s.io/v1alpha3"
  readonly kind: "DeviceTaintRule"
  readonly metadata: ObjectMeta
  readonly spec: DeviceTaintRuleSpec
  readonly status?: DeviceTaintRuleStatus
}

export interface DeviceTaintRuleList {
  readonly apiVersion: "resource.k8s.io/v1alpha3"
  readonly kind: "DeviceTaintRuleList"
  readonly metadata: ListMeta
  readonly items: readonly DeviceTaintRule[]
}

export interface DeviceTaintRuleSpec {
  readonly deviceSelector?: DeviceTaintSelector
  readonly taint: DeviceTaint
}

export interface DeviceTaintRuleStatus {
  readonly conditions?: readonly Condition[]
}

export interface DeviceTaintSelector {
  readonly device?: string
  readonly driver?: string
  readonly pool?: string
}

export interface PoolStatus {
  readonly allocatedDevices?: number
  readonly availableDevices?: number
  readonly driver: string
  readonly generation: Int64
  readonly nodeName?: string
  readonly poolName: string
  readonly resourceSliceCount?: number
  readonly totalDevices?: number
  readonly unavailableDevices?: number
  readonly validationError?: string
}

export interface ResourcePoolStatusRequest {
  readonly apiVersion: "resource.k8s.io/v1alpha3"
  readonly kind: "ResourcePoolStatusRequest"
  readonly metadata: ObjectMeta
  readonly spec: ResourcePoolStatusRequestSpec
  readonly status?: ResourcePoolStatusRequestStatus
}

export interface ResourcePoolStatusRequestList {
  readonly apiVersion: "resource.k8s.io/v1alpha3"
  readonly kind: "ResourcePoolStatusRequestList"
  readonly metadata: ListMeta
  readonly items: readonly ResourcePoolStatusRequest[]
}

export interface ResourcePoolStatusRequestSpec {
  readonly driver: string
  readonly limit?: number
  readonly poolName?: string
}

export interface ResourcePoolStatusRequestStatus {
  readonly conditions?: readonly Condition[]
  readonly poolCount: number
  readonly pools?: readonly PoolStatus[]
}
