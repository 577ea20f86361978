import { deepEqual, type Int64, setCondition } from "@pilothouse/api"
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from "@pilothouse/api/policy/v1"

export interface Counts {
  readonly healthy: number
  readonly desired: number
  readonly expected: number
  readonly disrupted: Readonly<Record<string, string>>
}

/** A budget that expects no pods allows nothing: when its first pods come, this status may still be the one that counts. */
export function budgetStatus(budget: PodDisruptionBudget, counts: Counts, now: number): PodDisruptionBudgetStatus {
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
export function failedStatus(budget: PodDisruptionBudget, error: string, now: number): PodDisruptionBudgetStatus {
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
export function isSameStatus(one: PodDisruptionBudgetStatus | undefined, other: PodDisruptionBudgetStatus): boolean {
  return deepEqual(written(one), written(other))
}

function written(status: PodDisruptionBudgetStatus | undefined): unknown {
  const { currentHealthy = 0, desiredHealthy = 0, disruptionsAllowed = 0, expectedPods = 0, observedGeneration = 0 } = status ?? {}
  const { disruptedPods, conditions } = status ?? {}
  const counts = { currentHealthy, desiredHealthy, disruptionsAllowed, expectedPods, observedGeneration }
  return { ...counts, disrupted: disruptedPods ?? {}, conditions: conditions ?? [] }
}
