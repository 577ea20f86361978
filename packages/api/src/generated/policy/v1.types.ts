// Written by `npm run generate` (tools/generate/types.ts).
import type { LabelSelector, ListMeta, ObjectMeta } from "../../meta/meta.ts"
import type { Int64, IntOrString, Time } from "../../quantity/scalars.ts"
import type { Condition, DeleteOptions } from "../meta/v1.types.ts"

export interface Eviction {
  readonly apiVersion: "policy/v1"
  readonly kind: "Eviction"
  readonly metadata: ObjectMeta
  readonly deleteOptions?: DeleteOptions
}

export interface PodDisruptionBudget {
  readonly apiVersion: "policy/v1"
  readonly kind: "PodDisruptionBudget"
  readonly metadata: ObjectMeta
  readonly spec?: PodDisruptionBudgetSpec
  readonly status?: PodDisruptionBudgetStatus
}

export interface PodDisruptionBudgetList {
  readonly apiVersion: "policy/v1"
  readonly kind: "PodDisruptionBudgetList"
  readonly metadata: ListMeta
  readonly items: readonly PodDisruptionBudget[]
}

export interface PodDisruptionBudgetSpec {
  readonly maxUnavailable?: IntOrString
  readonly minAvailable?: IntOrString
  readonly selector?: LabelSelector
  readonly unhealthyPodEvictionPolicy?: "AlwaysAllow" | "IfHealthyBudget"
}

export interface PodDisruptionBudgetStatus {
  readonly conditions?: readonly Condition[]
  readonly currentHealthy?: number
  readonly desiredHealthy?: number
  readonly disruptedPods?: Readonly<Record<string, Time>>
  readonly disruptionsAllowed?: number
  readonly expectedPods?: number
  readonly observedGeneration?: Int64
}
