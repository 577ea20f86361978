import type { MetricStatus } from "@pilothouse/api/autoscaling/v2"
import type { FoundScale } from "../scale-target/find-scale.ts"
import { maxWindow, normalize, resolveTolerances } from "./normalize.ts"
import { type Observed, scaleReplicas } from "./observe.ts"
import { isFailure, type MetricFailure, type MetricProposal, type Proposed, propose } from "./propose.ts"
import type { ScalingHistory } from "./recommendation-history.ts"
import type { ReadinessOptions } from "./replica-calculator.ts"
import { ConditionDraft } from "./status.ts"
import { metricSpecs, raisedFromZero, syncMode } from "./sync-mode.ts"
import { ambiguous, type SelectorProblem, targetSelector } from "./target-selector.ts"

export interface AutoscalerOptions extends ReadinessOptions {
  /** --horizontal-pod-autoscaler-sync-period, in milliseconds. */
  readonly syncPeriod: number
  /** --horizontal-pod-autoscaler-downscale-stabilization */
  readonly downscaleStabilization: number
  /** --horizontal-pod-autoscaler-tolerance */
  readonly tolerance: number
}

interface Warning {
  readonly reason: string
  readonly message: string
}

/** The outcome of a reconcile of a target that has a scale, before anything is written. */
export interface ScaleDecision {
  readonly conditions: ConditionDraft
  readonly warnings: readonly Warning[]
  readonly current: number
  /** Undefined: unknown. */
  readonly desired?: number
  /** Why it is another size: "cpu resource above target". */
  readonly reason: string
  readonly metrics?: readonly MetricStatus[]
  readonly history: ScalingHistory
}

const nothingYet = { recommendations: [], added: [], removed: [] }

/** Pure, and called twice: for the plan, and again to settle it. */
export function decideScale(observed: Observed, { scale }: FoundScale, now: number, options: AutoscalerOptions): ScaleDecision {
  const { hpa } = observed
  const current = scaleReplicas(scale)
  const conditions = new ConditionDraft(hpa.status?.conditions, now)
  conditions.set("AbleToScale", true, "SucceededGetScale", "the HPA controller was able to get the target's current scale")
  // Whatever was recommended before this process began, it is what there is now: a restart takes nothing away.
  const history = observed.history ?? { ...nothingYet, recommendations: [{ replicas: current, at: now }] }
  const base: ScaleDecision = { conditions, warnings: [], current, reason: "", history }
  const mode = syncMode(hpa, current)
  switch (mode.do) {
    case "rest":
      conditions.set("ScalingActive", false, "ScalingDisabled", "scaling is disabled since the replica count of the target is zero")
      return { ...base, desired: 0 }
    case "clamp":
      return { ...base, desired: mode.to, reason: mode.reason }
    case "measure": {
      const selector = targetSelector(scale)
      const problem =
        "problem" in selector ? selector.problem : observed.scaledBy.length > 1 ? ambiguous(scale, observed.scaledBy) : undefined
      return problem === undefined ? measure(observed, scale, base, { now, ...options }) : refuse(base, problem)
    }
  }
}

function refuse(base: ScaleDecision, { event, reason, message, condition = message }: SelectorProblem): ScaleDecision {
  base.conditions.set("ScalingActive", false, reason, condition)
  const warnings = [
    { reason: event, message },
    { reason: "FailedComputeMetricsReplicas", message },
  ]
  return { ...base, warnings }
}

type Options = AutoscalerOptions & { readonly now: number }

function measure(observed: Observed, scale: FoundScale["scale"], base: ScaleDecision, options: Options): ScaleDecision {
  const { hpa, pods, readings } = observed
  const { current, conditions } = base
  const specs = metricSpecs(hpa)
  const tolerances = resolveTolerances(hpa, options.tolerance)
  const { namespace = "" } = hpa.metadata
  const context = { ...options, namespace, pods, current, running: scale.status?.replicas ?? 0, tolerances }
  const proposals = specs.map((spec, at) => propose(spec, readings[at] ?? { failure: "it was not read" }, context))
  const { replicas, metric, statuses, failures } = combine(proposals, current)
  const warnings: readonly Warning[] = failures
  if (replicas === undefined) return failed({ ...base, warnings, metrics: statuses }, failures, specs.length)
  conditions.set("ScalingActive", true, "ValidMetricFound", `the HPA was able to successfully calculate a replica count from ${metric}`)
  const reason = replicas > current ? `${metric} above target` : replicas < current ? "All metrics below target" : ""
  const sized = raisedFromZero(hpa, current, normalize(hpa, base, replicas, options), reason)
  const { recommendations } = base.history
  const recent = recommendations.filter(({ at }) => at >= options.now - maxWindow(hpa, options.downscaleStabilization))
  const history = { ...base.history, recommendations: [...recent, { replicas, at: options.now }] }
  return { ...base, warnings, metrics: statuses, history, ...sized }
}

function failed(base: ScaleDecision, failures: readonly MetricFailure[], count: number): ScaleDecision {
  const [first] = failures
  base.conditions.set("ScalingActive", false, first?.reason ?? "", `the HPA was unable to compute the replica count: ${first?.message}`)
  const all = { reason: "FailedComputeMetricsReplicas", message: failureText(failures, count) }
  return { ...base, warnings: [...base.warnings, all] }
}

/** What all metrics together say. */
interface Combined {
  /** The most that one of them asks for; undefined when nothing may be concluded. */
  readonly replicas?: number
  /** Which one that is. */
  readonly metric: string
  readonly statuses: readonly MetricStatus[]
  readonly failures: readonly MetricFailure[]
}

/**
 * The highest proposal wins. Metrics that failed are passed over, but not when the others would take replicas away:
 * what is not known may be just what they are needed for.
 */
function combine(proposals: readonly Proposed[], current: number): Combined {
  const failures = proposals.filter(isFailure).map(({ failure }) => failure)
  const successes = proposals.filter((proposed): proposed is MetricProposal => !isFailure(proposed))
  // A metric of which nothing is known has an empty place: the statuses stand in the order of the spec.
  const statuses = proposals.map((proposed) => (isFailure(proposed) ? { type: "" } : proposed.status))
  const highest = successes.reduce((best, next) => (best === undefined || next.replicas > best.replicas ? next : best), successes[0])
  const isSafe = highest !== undefined && (failures.length === 0 || highest.replicas >= current)
  return { ...(isSafe && { replicas: highest.replicas }), metric: isSafe ? highest.name : "", statuses, failures }
}

/** What the event about all metrics says. */
function failureText(failures: readonly MetricFailure[], count: number): string {
  return `invalid metrics (${failures.length} invalid out of ${count}), first error is: ${failures[0]?.error}`
}
