import { type ConditionLike, deepEqual, setCondition } from "@pilothouse/api"
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerCondition,
  HorizontalPodAutoscalerStatus,
  MetricStatus,
} from "@pilothouse/api/autoscaling/v2"
import type { PlanBuilder } from "@pilothouse/runtime"

export type Conditions = readonly HorizontalPodAutoscalerCondition[]

type Type = "AbleToScale" | "ScalingActive" | "ScalingLimited" | "ScaledToZero"

/** Collects the conditions of one reconcile; the last value of each counts. */
export class ConditionDraft {
  #conditions: Conditions
  readonly #now: number

  constructor(conditions: Conditions | undefined, now: number) {
    this.#conditions = conditions ?? []
    this.#now = now
  }

  get list(): Conditions {
    return this.#conditions
  }

  set(type: Type, holds: boolean, reason: string, message: string): this {
    const next: ConditionLike & HorizontalPodAutoscalerCondition = { type, status: holds ? "True" : "False", reason, message }
    this.#conditions = setCondition(this.#conditions, next, this.#now)
    return this
  }
}

export interface Report {
  readonly current: number
  readonly desired: number
  readonly metrics?: readonly MetricStatus[]
  readonly conditions: Conditions
  readonly lastScaleTime?: string
}

/** Writes the status where it is not what is there. */
export function reportStatus(built: PlanBuilder, hpa: HorizontalPodAutoscaler, report: Report, reason: string): void {
  const { current, desired, metrics, conditions, lastScaleTime = hpa.status?.lastScaleTime } = report
  const status: HorizontalPodAutoscalerStatus = {
    ...(current !== 0 && { currentReplicas: current }),
    desiredReplicas: desired,
    ...(lastScaleTime !== undefined && { lastScaleTime }),
    ...(metrics !== undefined && { currentMetrics: metrics }),
    conditions,
  }
  if (!deepEqual(written(hpa.status), written(status))) built.status(hpa, status, reason)
}

/** Conditions alone: of the rest nothing is known. */
export function reportConditions(built: PlanBuilder, hpa: HorizontalPodAutoscaler, conditions: Conditions, reason: string): void {
  if (deepEqual(conditions, hpa.status?.conditions ?? [])) return
  built.status(hpa, { ...hpa.status, desiredReplicas: hpa.status?.desiredReplicas ?? 0, conditions }, reason)
}

/** Servers differ in whether they keep zeros, nulls and empty lists: they mean the same. */
function written(status: HorizontalPodAutoscalerStatus | undefined): unknown {
  const { currentReplicas, desiredReplicas = 0, lastScaleTime, currentMetrics, conditions } = status ?? {}
  return {
    current: currentReplicas ?? 0,
    desiredReplicas,
    time: lastScaleTime ?? "",
    metrics: currentMetrics ?? [],
    conditions: conditions ?? [],
  }
}
