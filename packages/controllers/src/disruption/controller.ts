import { findCondition, isPodTerminal, keyOf, parseTime, setCondition } from "@pilothouse/api"
import { deployments, replicaSets, statefulSets } from "@pilothouse/api/apps/v1"
import { type Pod, pods, replicationControllers } from "@pilothouse/api/core/v1"
import { podDisruptionBudgets } from "@pilothouse/api/policy/v1"
import { type Controller, controller, type DecideContext, type Plan, plan, watch } from "@pilothouse/runtime"
import { descriptor } from "../shared/descriptor.ts"
import { podsByLabel } from "../shared/selected-pods.ts"
import { budgetsBySelector, concernsBudgets, isRescale, podBudgetKeys, templateBudgetKeys } from "./budgets.ts"
import { decide } from "./decide.ts"
import { observe } from "./observe.ts"

/** So long a pod may be marked as about to be disrupted without being deleted. */
const staleAfter = 120_000

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

/**
 * Resets the condition DisruptionTarget of pods that were not deleted after all: an eviction that was refused later, a preemption that was not
 * needed. After two minutes it is False. Watches pods; writes the status of those pods, nothing else.
 */
function staleDisruptionController(): Controller {
  return controller("stale-pod-disruption", {
    for: pods,
    predicate: (change) => change.type !== "deleted" && markedAt(change.object as Pod) !== undefined,
    observe: (key, read) => read.get(pods, key),
    decide: clearStale,
  })
}

/** Sets the condition DisruptionTarget of a pod to False two minutes after it was set, where no deletion followed. */
export function clearStale(pod: Pod, { now }: DecideContext): Plan {
  const since = markedAt(pod)
  if (since === undefined) return plan().nothing("it is not marked as disrupted")
  const remaining = since + staleAfter - now
  if (remaining > 0) return plan().requeueAfter(remaining, "the mark is stale then")
  const { generation } = pod.metadata
  const seen = generation === undefined ? {} : { observedGeneration: generation }
  const conditions = setCondition(pod.status?.conditions, { type: "DisruptionTarget", status: "False", ...seen }, now)
  return plan().status(
    pod,
    { ...pod.status, conditions },
    `${keyOf(pod)} was to be disrupted ${(now - since) / 1000} s ago, and was not deleted`,
  )
}

/** Since when a pod is marked, and might not go. The kubelet's own mark may take as long as it likes. */
function markedAt(pod: Pod): number | undefined {
  if (pod.metadata.deletionTimestamp !== undefined || isPodTerminal(pod)) return undefined
  const mark = findCondition(pod.status?.conditions, "DisruptionTarget")
  if (mark?.status !== "True" || mark.reason === "TerminationByKubelet") return undefined
  return mark.lastTransitionTime ? parseTime(mark.lastTransitionTime) : 0
}
