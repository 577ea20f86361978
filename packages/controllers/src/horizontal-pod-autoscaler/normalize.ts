import { approximateAmount, parseQuantity } from "@pilothouse/api"
import type { HorizontalPodAutoscaler, HPAScalingRules } from "@pilothouse/api/autoscaling/v2"
import type { Recommendation, Rescale, ScalingHistory } from "./recommendation-history.ts"
import type { ConditionDraft } from "./status.ts"
import { minReplicas } from "./sync-mode.ts"

/** How fast replicas may come or go, with everything filled in. */
export interface Rules {
  readonly policies: NonNullable<HPAScalingRules["policies"]>
  readonly selectPolicy: string
  /** In milliseconds. */
  readonly window: number
}

export interface Behavior {
  readonly up: Rules
  readonly down: Rules
}

const defaultUp = [
  { type: "Pods", value: 4, periodSeconds: 15 },
  { type: "Percent", value: 100, periodSeconds: 15 },
]
const defaultDown = [{ type: "Percent", value: 100, periodSeconds: 15 }]

/**
 * Fills in the defaults of spec.behavior, as the API server does; only the window for going down has a flag. Undefined: the older, plainer rules
 * hold.
 */
export function resolveBehavior({ spec }: HorizontalPodAutoscaler, downscaleStabilization: number): Behavior | undefined {
  const { behavior } = spec
  if (behavior === undefined) return undefined
  return { up: rules(behavior.scaleUp, defaultUp, 0), down: rules(behavior.scaleDown, defaultDown, downscaleStabilization) }
}

function rules(given: HPAScalingRules | undefined, policies: Rules["policies"], window: number): Rules {
  const { stabilizationWindowSeconds } = given ?? {}
  return {
    policies: given?.policies ?? policies,
    selectPolicy: given?.selectPolicy ?? "Max",
    window: stabilizationWindowSeconds === undefined ? window : stabilizationWindowSeconds * 1000,
  }
}

/** How far usage may be from its target, as a share of it, before anything is changed. */
export interface Tolerances {
  readonly up: number
  readonly down: number
}

/** Each direction may have its own in spec.behavior. */
export function resolveTolerances({ spec }: HorizontalPodAutoscaler, fallback: number): Tolerances {
  const own = (quantity: string | number | undefined) =>
    quantity === undefined ? fallback : approximateAmount(parseQuantity(String(quantity)))
  return { up: own(spec.behavior?.scaleUp?.tolerance), down: own(spec.behavior?.scaleDown?.tolerance) }
}

export function isWithin({ up, down }: Tolerances, ratio: number): boolean {
  return 1 - down <= ratio && ratio <= 1 + up
}

export interface Limited {
  readonly replicas: number
  /** Of the condition ScalingLimited. */
  readonly reason: string
  readonly message: string
}

export interface Bounds {
  readonly current: number
  readonly desired: number
  readonly min: number
  readonly max: number
}

const tooMany = { reason: "TooManyReplicas", message: "the desired replica count is more than the maximum replica count" }
const tooFew = { reason: "TooFewReplicas", message: "the desired replica count is less than the minimum replica count" }
const tooFastUp = { reason: "ScaleUpLimit", message: "the desired replica count is increasing faster than the maximum scale rate" }
const tooFastDown = { reason: "ScaleDownLimit", message: "the desired replica count is decreasing faster than the maximum scale rate" }
const inRange = { reason: "DesiredWithinRange", message: "the desired count is within the acceptable range" }

/**
 * Limits without spec.behavior, as upstream's normalizeDesiredReplicas: within min and max, and never more than twice as many at once (4 where there
 * is 1).
 */
export function limit({ current, desired, min, max }: Bounds): Limited {
  const fastest = Math.max(2 * current, 4)
  if (desired < min) return { replicas: min, ...tooFew }
  if (desired > Math.min(max, fastest)) return max > fastest ? { replicas: fastest, ...tooFastUp } : { replicas: max, ...tooMany }
  return { replicas: desired, ...inRange }
}

/** Limits with spec.behavior, as upstream's normalizeDesiredReplicasWithBehaviors: as fast as its policies allow. */
export function limitWith(behavior: Behavior, { current, desired, min, max }: Bounds, history: ScalingHistory, now: number): Limited {
  if (desired > current) {
    const fastest = Math.max(current, highestSize(behavior.up, current, history, now))
    if (desired > Math.min(max, fastest)) return max > fastest ? { replicas: fastest, ...tooFastUp } : { replicas: max, ...tooMany }
  }
  if (desired < current) {
    const fastest = Math.min(current, lowestSize(behavior.down, current, history, now))
    if (desired < Math.max(min, fastest)) return min < fastest ? { replicas: fastest, ...tooFastDown } : { replicas: min, ...tooFew }
  }
  return { replicas: desired, ...inRange }
}

/** The size that the policies for going up let it come to. A share is rounded up: else 10 % of 3 would never add one. */
export function highestSize({ policies, selectPolicy }: Rules, current: number, history: ScalingHistory, now: number): number {
  if (selectPolicy === "Disabled") return current
  const sizes = policies.map(({ type, value, periodSeconds }) => {
    const start = sizeAtStart(current, history, periodSeconds, now)
    return type === "Pods" ? start + value : Math.ceil(start * (1 + value / 100))
  })
  return selectPolicy === "Min" ? Math.min(...sizes) : Math.max(...sizes)
}

/** The size that the policies for going down let it come to. */
export function lowestSize({ policies, selectPolicy }: Rules, current: number, history: ScalingHistory, now: number): number {
  if (selectPolicy === "Disabled") return current
  const sizes = policies.map(({ type, value, periodSeconds }) => {
    const start = sizeAtStart(current, history, periodSeconds, now)
    return type === "Pods" ? start - value : Math.trunc(start * (1 - value / 100))
  })
  return selectPolicy === "Min" ? Math.max(...sizes) : Math.min(...sizes)
}

/** How many there were when the period began: what was added since then is taken off, what was taken away comes back. */
function sizeAtStart(current: number, { added, removed }: ScalingHistory, periodSeconds: number, now: number): number {
  const since = (rescales: readonly Rescale[]) =>
    rescales.filter(({ at }) => at > now - periodSeconds * 1000).reduce((sum, { change }) => sum + change, 0)
  return current - since(added) + since(removed)
}

export interface Stabilized {
  readonly replicas: number
  /** Of the condition AbleToScale, where the replicas are not what was recommended. */
  readonly reason: string
  readonly message: string
}

const down = {
  reason: "ScaleDownStabilized",
  message: "recent recommendations were higher than current one, applying the highest recent recommendation",
}
const up = {
  reason: "ScaleUpStabilized",
  message: "recent recommendations were lower than current one, applying the lowest recent recommendation",
}

/**
 * Stabilizes without a behaviour (upstream's stabilizeRecommendation): the highest recommendation of the window, so that a lull of a moment takes
 * nothing away.
 */
export function stabilize(recommended: number, recent: readonly Recommendation[], window: number, now: number): Stabilized {
  const counted = recent.filter(({ at }) => at >= now - window)
  return { replicas: Math.max(recommended, ...counted.map(({ replicas }) => replicas)), ...down }
}

/**
 * Stabilizes with a behaviour (upstream's stabilizeRecommendationWithBehaviors): not above the lowest of the window for going up, not below the
 * highest of the window for going down, else as it is.
 */
export function stabilizeWith(
  behavior: Behavior,
  { recommended, current, now }: { readonly recommended: number; readonly current: number; readonly now: number },
  recent: readonly Recommendation[],
): Stabilized {
  const within = (window: number) => recent.filter(({ at }) => at > now - window).map(({ replicas }) => replicas)
  const lowest = Math.min(recommended, ...within(behavior.up.window))
  const highest = Math.max(recommended, ...within(behavior.down.window))
  return { replicas: Math.min(Math.max(current, lowest), highest), ...(recommended >= current ? up : down) }
}

interface NormalizeInput {
  readonly conditions: ConditionDraft
  readonly current: number
  readonly history: ScalingHistory
}

interface Options {
  readonly now: number
  readonly downscaleStabilization: number
}

/** Returns the desired replicas within the windows, the policies and the bounds; the conditions say what held it back. */
export function normalize(hpa: HorizontalPodAutoscaler, input: NormalizeInput, recommended: number, options: Options): number {
  const { conditions, current, history } = input
  const { now, downscaleStabilization } = options
  const behavior = resolveBehavior(hpa, downscaleStabilization)
  const stabilized =
    behavior === undefined
      ? stabilize(recommended, history.recommendations, downscaleStabilization, now)
      : stabilizeWith(behavior, { recommended, current, now }, history.recommendations)
  const { replicas: desired, reason, message } = stabilized
  if (desired === recommended) conditions.set("AbleToScale", true, "ReadyForNewScale", "recommended size matches current size")
  else conditions.set("AbleToScale", true, reason, message)
  const bounds = { current, desired, min: minReplicas(hpa), max: hpa.spec.maxReplicas }
  const limited = behavior === undefined ? limit(bounds) : limitWith(behavior, bounds, history, now)
  conditions.set("ScalingLimited", limited.replicas !== desired, limited.reason, limited.message)
  return limited.replicas
}

/** Returns how long a recommendation is kept: the longest stabilization window. */
export function maxWindow(hpa: HorizontalPodAutoscaler, downscaleStabilization: number): number {
  const behavior = resolveBehavior(hpa, downscaleStabilization)
  return Math.max(downscaleStabilization, behavior?.up.window ?? 0, behavior?.down.window ?? 0)
}
