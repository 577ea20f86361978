import { findCondition, formatTime } from "@pilothouse/api"
import type { Scale } from "@pilothouse/api/autoscaling/v1"
import type { HorizontalPodAutoscaler } from "@pilothouse/api/autoscaling/v2"
import { type DecideContext, type Plan, type PlanBuilder, plan, type Result } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import type { Observed } from "./observe.ts"
import { rememberScaling, type ScalingHistory } from "./recommendation-history.ts"
import { type AutoscalerOptions, decideScale, type ScaleDecision } from "./scale-decision.ts"
import { ConditionDraft, reportConditions, reportStatus } from "./status.ts"
import { canBeZero, minReplicas } from "./sync-mode.ts"

/** Upstream's reconcileAutoscaler: plans another size for the target, or a status that says why not. Requeues after the sync period in any case. */
export function decide(observed: Observed, { now }: DecideContext, options: AutoscalerOptions): Plan {
  const { hpa, target } = observed
  const built = plan().requeueAfter(options.syncPeriod, "metrics change without events")
  if ("failure" in target) return withoutScale(built, hpa, target.failure, now)
  const decision = decideScale(observed, target, now, options)
  rememberScaling(built, observed, decision.history)
  for (const { reason, message } of decision.warnings) built.event(hpa, "Warning", reason, message)
  const { desired, current } = decision
  if (desired === undefined) return unknown(built, hpa, decision)
  if (desired === current) return unchanged(built, hpa, decision)
  const reason = `${decision.reason}: ${desired} replicas instead of ${current}`
  return built.operation({ do: "update", of: target.of, object: resized(target.scale, desired), subresource: "scale", reason })
}

/** Without a resourceVersion: a concurrent change of the target does not change what the metrics require. */
function resized({ metadata: { resourceVersion: _, ...metadata }, spec, ...scale }: Scale, replicas: number): Scale {
  return { ...scale, metadata, spec: { ...spec, replicas } }
}

function withoutScale(built: PlanBuilder, hpa: HorizontalPodAutoscaler, failure: string, now: number): Plan {
  const message = `the HPA controller was unable to get the target's current scale: ${failure}`
  const { list } = new ConditionDraft(hpa.status?.conditions, now).set("AbleToScale", false, "FailedGetScale", message)
  reportConditions(built, hpa, list, message)
  return built.event(hpa, "Warning", "FailedGetScale", failure).nothing(message, { stuck: true })
}

function unknown(built: PlanBuilder, hpa: HorizontalPodAutoscaler, { conditions, current, metrics, warnings }: ScaleDecision): Plan {
  const reason = warnings.at(-1)?.message ?? "the desired number of replicas is unknown"
  const desired = hpa.status?.desiredReplicas ?? 0
  reportStatus(built, hpa, { current, desired, metrics, conditions: conditions.list }, reason)
  return built.nothing(reason, { stuck: warnings.length > 0 })
}

function unchanged(built: PlanBuilder, hpa: HorizontalPodAutoscaler, { conditions, current, metrics }: ScaleDecision): Plan {
  const reason = `${current} replicas are what is wanted`
  reportStatus(built, hpa, { current, desired: current, metrics, conditions: conditions.list }, reason)
  return built.nothing(reason)
}

/** The status once the target has its new size. */
export function reportRescaled(built: PlanBuilder, hpa: HorizontalPodAutoscaler, decision: ScaleDecision, now: number): void {
  const { conditions, current, desired = current, metrics } = decision
  reportStatus(
    built,
    hpa,
    { current, desired, metrics, conditions: conditions.list, lastScaleTime: formatTime(now) },
    `scaled to ${desired}`,
  )
}

/** Writes the outcome of the scaling to the status and records events. */
export function settle(observed: Observed, results: readonly Result[], { now }: DecideContext, options: AutoscalerOptions): Plan {
  const built = plan()
  const { hpa, target } = observed
  const failed = results.find(({ operation, ok }) => operation.do === "status" && ok === false)
  if (failed?.ok === false) built.event(hpa, "Warning", "FailedUpdateStatus", messageOf(failed.error))
  const scaled = results.find(({ operation }) => operation.do === "update")
  if (scaled === undefined || scaled.ok === "skipped" || "failure" in target) return built
  const decision = decideScale(observed, target, now, options)
  if (scaled.ok) succeeded(built, observed, decision, now)
  else notScaled(built, hpa, decision, messageOf(scaled.error))
  return built
}

function succeeded(built: PlanBuilder, observed: Observed, decision: ScaleDecision, now: number): void {
  const { hpa } = observed
  const { current, desired = current, conditions, reason } = decision
  conditions.set("AbleToScale", true, "SucceededRescale", `the HPA controller was able to update the target scale to ${desired}`)
  setScaledToZero(hpa, decision)
  rememberScaling(built, { ...observed, history: decision.history }, withRescale(hpa, decision, now))
  reportRescaled(built, hpa, decision, now)
  built.event(hpa, "Normal", "SuccessfulRescale", `New size: ${desired}; reason: ${reason}`)
}

function notScaled(built: PlanBuilder, hpa: HorizontalPodAutoscaler, decision: ScaleDecision, error: string): void {
  const { current, desired, conditions, metrics, reason } = decision
  const message = `the HPA controller was unable to update the target scale: ${error}`
  conditions.set("AbleToScale", false, "FailedUpdateScale", message)
  built.event(hpa, "Warning", "FailedRescale", `New size: ${desired}; reason: ${reason}; error: ${error}`)
  reportStatus(built, hpa, { current, desired: hpa.status?.desiredReplicas ?? 0, metrics, conditions: conditions.list }, message)
}

/** The policies count what was added and removed lately; without a behaviour none are kept. */
function withRescale(
  { spec }: HorizontalPodAutoscaler,
  { history, current, desired = current }: ScaleDecision,
  now: number,
): ScalingHistory {
  const { behavior } = spec
  if (behavior === undefined) return history
  // The longest period that a policy may have is half an hour.
  const recent = (rescales: ScalingHistory["added"]) => rescales.filter(({ at }) => at > now - 1_800_000)
  const [added, removed] = [recent(history.added), recent(history.removed)]
  const change = Math.abs(desired - current)
  return desired > current
    ? { ...history, added: [...added, { change, at: now }], removed }
    : { ...history, added, removed: [...removed, { change, at: now }] }
}

/** Only where zero is possible, or was: servers that do not know the condition do not get it. */
function setScaledToZero(hpa: HorizontalPodAutoscaler, { conditions, current, desired }: ScaleDecision): void {
  const min = minReplicas(hpa)
  if (min !== 0 && findCondition(hpa.status?.conditions, "ScaledToZero") === undefined) return
  if (current > 0 && desired === 0 && min === 0 && canBeZero(hpa))
    conditions.set("ScaledToZero", true, "ScaledToZero", "the HPA controller scaled the workload to zero")
  else conditions.set("ScaledToZero", false, "NotScaledToZero", "the HPA controller did not scale the workload to zero")
}
