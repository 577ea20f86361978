import { deployments, replicaSets, statefulSets } from "@pilothouse/api/apps/v1"
import { pods, replicationControllers } from "@pilothouse/api/core/v1"
import { podDisruptionBudgets } from "@pilothouse/api/policy/v1"
import { type Controller, controller, watch } from "@pilothouse/runtime"
import { descriptor } from "../shared/descriptor.ts"
import { podsByLabel } from "../shared/selected-pods.ts"
import { budgetsBySelector, concernsBudgets, isRescale, podBudgetKeys, templateBudgetKeys } from "./budgets.ts"
import { decide } from "./decide.ts"
import { observe } from "./observe.ts"
import { staleDisruptionController } from "./stale-condition.ts"

export const disruptionDescriptor = descriptor({
  name: "disruption-controller",
  aliases: ["disruption"],
  create: () => [disruptionController(), staleDisruptionController()],
})

const rescaled = { predicate: isRescale }
const reason = "a workload of its pods was scaled"

/**
 * Keeps the status of PodDisruptionBudgets true: how many pods are healthy, how many have to be, and so how many may be evicted.
 * Watches budgets, pods, and the sizes of workloads; other controllers of pods are asked for their scale. Writes only the budgets' status, where
 * it has changed. Forgets evictions that were granted and not carried out after two minutes. Where anything is not known nothing is allowed.
 */
export function disruptionController(): Controller {
  return controller("disruption-controller", {
    for: podDisruptionBudgets,
    ignoreOwnStatusWrites: true,
    watches: [
      watch(pods, "one of its pods changed", podBudgetKeys, { predicate: concernsBudgets }),
      watch(deployments, reason, templateBudgetKeys, rescaled),
      watch(replicaSets, reason, templateBudgetKeys, rescaled),
      watch(statefulSets, reason, templateBudgetKeys, rescaled),
      watch(replicationControllers, reason, templateBudgetKeys, rescaled),
    ],
    indexes: [budgetsBySelector, podsByLabel],
    eventSource: "controllermanager",
    observe,
    decide,
  })
}
