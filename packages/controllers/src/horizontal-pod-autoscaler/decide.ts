import { formatTime } from "@pilothouse/api"
import type { Scale } from "@pilothouse/api/autoscaling/v1"
import type { HorizontalPodAutoscaler } from "@pilothouse/api/autoscaling/v2"
import { type DecideContext, type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import { ConditionDraft } from "./conditions.ts"
import type { Observed } from "./observe.ts"
import { rememberScaling } from "./remember.ts"
import { reportConditions, reportStatus } from "./status.ts"
import { type AutoscalerOptions, judge, type Verdict } from "./verdict.ts"

/** One look: another size for the target, or a status that says why not. The next look comes after the period, whatever happens. */
export function decide(observed: Observed, { now }: DecideContext, options: AutoscalerOptions): Plan {
  const { hpa, target } = observed
  const built = plan().requeueAfter(options.syncPeriod, "metrics change without telling anybody")
  if ("failure" in target) return withoutScale(built, hpa, target.failure, now)
  const verdict = judge(observed, target, now, options)
  rememberScaling(built, observed, verdict.remembered)
  for (const { reason, message } of verdict.warnings) built.event(hpa, "Warning", reason, message)
  const { desired, current } = verdict
  if (desired === undefined) return unknown(built, hpa, verdict)
  if (desired === current) return unchanged(built, hpa, verdict)
  const reason = `${verdict.reason}: ${desired} replicas instead of ${current}`
  return built.operation({ do: "update", of: target.of, object: resized(target.scale, desired), subresource: "scale", reason })
}

/** Without a resourceVersion: whoever changed the target meanwhile did not change what the metrics ask for. */
function resized({ metadata: { resourceVersion: _, ...metadata }, spec, ...scale }: Scale, replicas: number): Scale {
  return { ...scale, metadata, spec: { ...spec, replicas } }
}

function withoutScale(built: PlanBuilder, hpa: HorizontalPodAutoscaler, failure: string, now: number): Plan {
  const message = `the HPA controller was unable to get the target's current scale: ${failure}`
  const { list } = new ConditionDraft(hpa.status?.conditions, now).set("AbleToScale", false, "FailedGetScale", message)
  reportConditions(built, hpa, list, message)
  return built.event(hpa, "Warning", "FailedGetScale", failure).nothing(message, { stuck: true })
}

function unknown(built: PlanBuilder, hpa: HorizontalPodAutoscaler, { conditions, current, metrics, warnings }: Verdict): Plan {
  const reason = warnings.at(-1)?.message ?? "nobody can say how many replicas there should be"
  const desired = hpa.status?.desiredReplicas ?? 0
  reportStatus(built, hpa, { current, desired, metrics, conditions: conditions.list }, reason)
  return built.nothing(reason, { stuck: warnings.length > 0 })
}

function unchanged(built: PlanBuilder, hpa: HorizontalPodAutoscaler, { conditions, current, metrics }: Verdict): Plan {
  const reason = `${current} replicas are what is wanted`
  reportStatus(built, hpa, { current, desired: current, metrics, conditions: conditions.list }, reason)
  return built.nothing(reason)
}

/** The status once the target has its new size. */
export function reportRescaled(built: PlanBuilder, hpa: HorizontalPodAutoscaler, verdict: Verdict, now: number): void {
  const { conditions, current, desired = current, metrics } = verdict
  reportStatus(
    built,
    hpa,
    { current, desired, metrics, conditions: conditions.list, lastScaleTime: formatTime(now) },
    `scaled to ${desired}`,
  )
}
