import { controllerOf, deepEqual, type Int64, isPodReady, parseTime, scaledIntOrPercent, setCondition } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from "@pilothouse/api/policy/v1"
import { type DecideContext, type Plan, type PlanBuilder, plan } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import { formatLabelSelector } from "../shared/format-label-selector.ts"
import { needsScales, type Observed } from "./observe.ts"

/** Counts the pods of a budget, and plans the status with how many of them may be evicted: upstream's trySync. */
export function decide(observed: Observed, { now }: DecideContext): Plan {
  const { failure } = observed
  if (failure !== undefined) return failSafe(observed, failure, now)
  try {
    return count(observed, now)
  } catch (error) {
    const message = `Failed to calculate the number of expected pods: ${messageOf(error)}`
    return failSafe(observed, { reason: "CalculateExpectedPodCountFailed", message, error: messageOf(error) }, now)
  }
}

function count(observed: Observed, now: number): Plan {
  const { budget, pods } = observed
  const expected = countExpected(observed)
  const disrupted = disruptedPods(budget, pods, now)
  const healthy = healthyPods(pods, disrupted.pods, now)
  const counts = { healthy, desired: expected.healthy, expected: expected.pods, disrupted: disrupted.pods }
  const status = budgetStatus(budget, counts, now)
  const built = plan()
  report(built, observed, disrupted, status)
  if (disrupted.recheckAt !== undefined)
    built.requeueAfter(disrupted.recheckAt - now + 1, "an eviction that was granted may not have been carried out")
  return built
}

/** Records events only with the write that they explain: the same reconcile again records nothing. */
function report(built: PlanBuilder, observed: Observed, { notDeleted }: Disrupted, status: PodDisruptionBudgetStatus): void {
  const { budget, pods } = observed
  const { currentHealthy = 0, desiredHealthy = 0, expectedPods, disruptionsAllowed } = status
  const counted = `${currentHealthy} of ${expectedPods} pods are healthy, ${desiredHealthy} have to be: ${disruptionsAllowed} may be disrupted`
  if (isSameStatus(budget.status, status)) {
    built.nothing(counted)
    return
  }
  built.status(budget, status, counted)
  if (pods.length === 0) built.event(budget, "Normal", "NoPods", "No matching pods found")
  recordUnmanagedPods(built, observed)
  recordSharedPods(built, observed)
  const { namespace, name } = budget.metadata
  for (const pod of notDeleted)
    built.event(pod, "Warning", "NotDeleted", `Pod was expected by PDB ${namespace}/${name} to be deleted but it wasn't`)
}

function recordUnmanagedPods(built: PlanBuilder, observed: Observed): void {
  if (unmanagedPods(observed).length === 0) return
  const { budget } = observed
  const selector = formatLabelSelector(budget.spec?.selector)
  const message =
    `Pods selected by this PodDisruptionBudget (selector: ${selector}) were found to be unmanaged. ` +
    "As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. " +
    'To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.'
  built.event(budget, "Warning", "UnmanagedPods", message)
}

/** Records a warning: the API server refuses to evict a pod with two budgets. */
function recordSharedPods(built: PlanBuilder, { budget, shared }: Observed): void {
  for (const pod of shared) {
    const { namespace, name } = pod.metadata
    const message = `Pod "${namespace}"/"${name}" matches multiple PodDisruptionBudgets.  Chose "${budget.metadata.name}" arbitrarily.`
    built.event(pod, "Warning", "MultiplePodDisruptionBudgets", message)
  }
}

/** How long until a failed read is tried again: no event says when an API group answers again, or a controller gets scales. */
const retry = "1m"

function failSafe({ budget }: Observed, { reason, message, error }: NonNullable<Observed["failure"]>, now: number): Plan {
  const built = plan().requeueAfter(retry, "what could not be known may be known then")
  const status = failedStatus(budget, error, now)
  if (isSameStatus(budget.status, status)) return built.nothing(message)
  return built.status(budget, status, message).event(budget, "Warning", reason, message)
}

interface Expected {
  /** How many pods there should be. */
  readonly pods: number
  /** How many of them have to be healthy. */
  readonly healthy: number
}

/** Shares are rounded up both ways: of 3 pods, 50 % available are 2, and 50 % unavailable are 2. */
function countExpected({ budget, pods, scales }: Observed): Expected {
  const { minAvailable, maxUnavailable } = budget.spec ?? {}
  const scaled = scales.reduce((sum, { replicas }) => sum + replicas, 0)
  if (maxUnavailable !== undefined) return { pods: scaled, healthy: Math.max(0, scaled - scaledIntOrPercent(maxUnavailable, scaled, "up")) }
  if (typeof minAvailable === "number") return { pods: pods.length, healthy: minAvailable }
  if (minAvailable !== undefined) return { pods: scaled, healthy: scaledIntOrPercent(minAvailable, scaled, "up") }
  return { pods: 0, healthy: 0 }
}

/** Returns the pods without a controller, where that matters: their desired number is unknown. */
function unmanagedPods({ budget, pods }: Observed): readonly Pod[] {
  return needsScales(budget) ? pods.filter((pod) => controllerOf(pod) === undefined) : []
}

/** So long an eviction that was granted may take to show as a deletion; then it is taken not to come. */
const deletionTimeout = 120_000

interface Disrupted {
  /** Evictions that were granted and do not show in the pod yet: by the pod's name, with the time. */
  readonly pods: Readonly<Record<string, string>>
  /** Pods that were to go and did not. */
  readonly notDeleted: readonly Pod[]
  /** When the first of the evictions is given up. */
  readonly recheckAt?: number
}

/** What is left of the evictions that the API server noted: those of pods that are still there and not on their way out. */
function disruptedPods({ status }: PodDisruptionBudget, pods: readonly Pod[], now: number): Disrupted {
  const pending: Record<string, string> = {}
  const notDeleted: Pod[] = []
  let recheckAt: number | undefined
  for (const pod of pods) {
    const { name = "", deletionTimestamp } = pod.metadata
    const evicted = status?.disruptedPods?.[name]
    if (evicted === undefined || deletionTimestamp !== undefined) continue
    const expires = parseTime(evicted) + deletionTimeout
    if (expires < now) notDeleted.push(pod)
    else {
      pending[name] = evicted
      recheckAt = Math.min(recheckAt ?? expires, expires)
    }
  }
  return { pods: pending, notDeleted, recheckAt }
}

function healthyPods(pods: readonly Pod[], disrupted: Disrupted["pods"], now: number): number {
  const isTerminating = ({ metadata: { name = "", deletionTimestamp } }: Pod) =>
    deletionTimestamp !== undefined || (disrupted[name] !== undefined && parseTime(disrupted[name]) + deletionTimeout > now)
  return pods.filter((pod) => !isTerminating(pod) && isPodReady(pod)).length
}

interface Counts {
  readonly healthy: number
  readonly desired: number
  readonly expected: number
  readonly disrupted: Readonly<Record<string, string>>
}

/** A budget that expects no pods allows nothing: when its first pods come, this status may still be the one that counts. */
function budgetStatus(budget: PodDisruptionBudget, counts: Counts, now: number): PodDisruptionBudgetStatus {
  const { healthy, desired, expected, disrupted } = counts
  const disruptionsAllowed = expected <= 0 ? 0 : Math.max(0, healthy - desired)
  const { generation } = budget.metadata
  return {
    ...(Object.keys(disrupted).length > 0 && { disruptedPods: disrupted }),
    ...(generation !== undefined && { observedGeneration: generation }),
    disruptionsAllowed,
    currentHealthy: healthy,
    desiredHealthy: desired,
    expectedPods: expected,
    conditions: conditionsWith(budget, disruptionsAllowed > 0 ? "SufficientPods" : "InsufficientPods", "", generation, now),
  }
}

/** When nothing can be known nothing is allowed. The rest stays as it was. */
function failedStatus(budget: PodDisruptionBudget, error: string, now: number): PodDisruptionBudgetStatus {
  const conditions = conditionsWith(budget, "SyncFailed", error, budget.status?.observedGeneration, now)
  return { ...budget.status, disruptionsAllowed: 0, conditions }
}

type Reason = "SufficientPods" | "InsufficientPods" | "SyncFailed"

function conditionsWith(
  { status }: PodDisruptionBudget,
  reason: Reason,
  message: string,
  observedGeneration: Int64 | undefined,
  now: number,
) {
  const holds = reason === "SufficientPods" ? ("True" as const) : ("False" as const)
  const seen = observedGeneration === undefined ? {} : { observedGeneration }
  return setCondition(status?.conditions, { type: "DisruptionAllowed", status: holds, reason, message, ...seen }, now)
}

/** Servers differ in whether they keep zeros and empty maps: they mean the same. */
function isSameStatus(one: PodDisruptionBudgetStatus | undefined, other: PodDisruptionBudgetStatus): boolean {
  return deepEqual(written(one), written(other))
}

function written(status: PodDisruptionBudgetStatus | undefined): unknown {
  const { currentHealthy = 0, desiredHealthy = 0, disruptionsAllowed = 0, expectedPods = 0, observedGeneration = 0 } = status ?? {}
  const { disruptedPods, conditions } = status ?? {}
  const counts = { currentHealthy, desiredHealthy, disruptionsAllowed, expectedPods, observedGeneration }
  return { ...counts, disrupted: disruptedPods ?? {}, conditions: conditions ?? [] }
}
