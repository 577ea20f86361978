import { deployments } from "@pilothouse/api/apps/v1"
import type {
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  HorizontalPodAutoscalerStatus,
  MetricSpec,
} from "@pilothouse/api/autoscaling/v2"
import type { Operation, Plan, Result } from "@pilothouse/runtime"
import { seededRandom } from "@pilothouse/seams"
import { decide, settle } from "../decide.ts"
import type { Observed } from "../observe.ts"
import type { ScalingHistory } from "../recommendation-history.ts"
import type { Reading } from "../samples.ts"
import type { AutoscalerOptions } from "../scale-decision.ts"
import { now, podsOf, samples } from "./pods.ts"

export const options: AutoscalerOptions = {
  syncPeriod: 15_000,
  downscaleStabilization: 300_000,
  tolerance: 0.1,
  cpuInitializationPeriod: 120_000,
  initialReadinessDelay: 10_000,
}
export const context = { now, random: seededRandom(1) }

export const cpu: MetricSpec = { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } }
export const queue: MetricSpec = { type: "External", external: { metric: { name: "queue" }, target: { type: "Value", value: "10" } } }
export const noUse = { failure: "no metrics returned from resource metrics API" }

export interface Facts {
  readonly current: number
  readonly spec?: Partial<HorizontalPodAutoscalerSpec>
  readonly status?: Partial<HorizontalPodAutoscalerStatus>
  /** CPU of each of its pods, in thousandths of the one that it requests. */
  readonly used?: readonly number[]
  readonly readings?: readonly Reading[]
  readonly selector?: string
  readonly scaledBy?: readonly string[]
  readonly remembered?: Partial<ScalingHistory>
  readonly failure?: string
}

export function observed(facts: Facts): Observed {
  const {
    current,
    spec,
    status,
    used = Array.from({ length: current }, () => 500),
    selector = "app=web",
    scaledBy = ["default/web"],
  } = facts
  const hpa: HorizontalPodAutoscaler = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "web", namespace: "default", uid: "h-1", resourceVersion: "5" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      minReplicas: 1,
      maxReplicas: 10,
      metrics: [cpu],
      ...spec,
    },
    status: { desiredReplicas: 0, ...status },
  }
  const metadata = { name: "web", namespace: "default", uid: "d-1", resourceVersion: "77" }
  const scaleStatus = { replicas: current, ...(selector !== "" && { selector }) }
  const scale = { apiVersion: "autoscaling/v1", kind: "Scale", metadata, spec: { replicas: current }, status: scaleStatus } as const
  const remembered = facts.remembered && { recommendations: [], added: [], removed: [], ...facts.remembered }
  return {
    key: "default/web",
    hpa,
    target: facts.failure === undefined ? { of: deployments, scale } : { failure: facts.failure },
    pods: podsOf(...used.map(() => ({}))),
    scaledBy,
    readings: facts.readings ?? [{ pods: samples(...used) }],
    ...(remembered && { history: remembered }),
  }
}

export function operations(plan: Plan): readonly Operation[] {
  return plan.steps.flatMap((step) => step.operations)
}

export interface Looked {
  /** The new size, where there is one. */
  readonly size?: number
  readonly status?: HorizontalPodAutoscalerStatus
  readonly events: readonly string[]
  readonly remembered?: ScalingHistory
  readonly plan: Plan
}

/** One reconcile with all its writes; `error` is what the write of the scale fails with. */
export function look(facts: Facts, error?: unknown): Looked {
  const seen = observed(facts)
  const first = decide(seen, context, options)
  const results = operations(first).map(
    (operation): Result => (operation.do === "update" && error !== undefined ? { operation, ok: false, error } : { operation, ok: true }),
  )
  const second = settle(seen, results, context, options)
  const all = [...operations(first), ...operations(second)]
  const scale = all.find((operation) => operation.do === "update")
  const status = all.find((operation) => operation.do === "status")
  const memory = all.findLast((operation) => operation.do === "remember-scaling") as { readonly history?: ScalingHistory } | undefined
  return {
    plan: first,
    size: scale?.do === "update" ? (scale.object as { spec?: { replicas?: number } }).spec?.replicas : undefined,
    status: status?.do === "status" ? (status.status as HorizontalPodAutoscalerStatus) : undefined,
    events: [...first.events, ...second.events].map(({ type, reason, message }) => `${type} ${reason}: ${message}`),
    remembered: memory?.history,
  }
}

export function reasons({ status }: Looked): Readonly<Record<string, string>> {
  return Object.fromEntries((status?.conditions ?? []).map(({ type, status: holds, reason }) => [type, `${holds}/${reason}`]))
}

export const longAgo = { recommendations: [{ replicas: 1, at: now - 600_000 }] }
