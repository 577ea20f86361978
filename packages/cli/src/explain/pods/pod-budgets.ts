import { isEvictionUndisturbing, matchesLabels, needsBudget, selectorOf } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import { type PodDisruptionBudget, podDisruptionBudgets } from "@pilothouse/api/policy/v1"
import type { Client } from "@pilothouse/runtime"

/** Disruption budgets that allow no eviction of the pod now: what a drain waits for. */
export async function budgetLines(client: Client, pod: Pod): Promise<readonly string[]> {
  const { items } = await client.list(podDisruptionBudgets, { namespace: pod.metadata.namespace })
  return evictionLines(pod, items)
}

/** The API server judges an eviction in the same order. */
export function evictionLines(pod: Pod, budgets: readonly PodDisruptionBudget[]): readonly string[] {
  if (isEvictionUndisturbing(pod)) return []
  const [budget, ...more] = budgets.filter(
    ({ spec }) => spec?.selector !== undefined && matchesLabels(selectorOf(spec.selector), pod.metadata.labels),
  )
  if (budget === undefined) return []
  if (more.length > 0) {
    const names = [budget, ...more].map(({ metadata }) => metadata.name).join(", ")
    return [`it cannot be evicted: it has more than one disruption budget (${names}), and an eviction is refused unless there is only one`]
  }
  const { name, generation = 0 } = budget.metadata
  const { observedGeneration = 0, disruptionsAllowed = 0, currentHealthy = 0, desiredHealthy = 0, expectedPods = 0 } = budget.status ?? {}
  if (!needsBudget(pod, budget)) return []
  if (observedGeneration < generation)
    return [
      `it cannot be evicted yet: since its disruption budget ${name} was made or changed, disruption-controller has not counted its pods`,
    ]
  if (disruptionsAllowed > 0) return []
  return [
    `it cannot be evicted now: its disruption budget ${name} requires ${desiredHealthy} of ${expectedPods} pods healthy, and ${currentHealthy} are`,
  ]
}
