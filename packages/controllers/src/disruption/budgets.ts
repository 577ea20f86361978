import {
  controllerOf,
  deepEqual,
  isEverything,
  isPodReady,
  type KubeObject,
  keyOf,
  nothing,
  type Selector,
  selectorOf,
} from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import { type PodDisruptionBudget, podDisruptionBudgets } from "@pilothouse/api/policy/v1"
import { type Change, index, type Reader } from "@pilothouse/runtime"
import { matchingSelectors, type SelectorIndex, selectorBuckets } from "../shared/selector-index.ts"

/** Budgets by one label that they ask for. Unlike a ReplicaSet, a budget may mean every pod of its namespace: an empty selector says so. */
export const budgetsBySelector: SelectorIndex<PodDisruptionBudget> = {
  ...index(podDisruptionBudgets, "selector", (budget) => {
    const selector = readableSelector(budget)
    const buckets = isEverything(selector) ? ["*"] : selectorBuckets(selector)
    return buckets.map((bucket) => `${budget.metadata.namespace}/${bucket}`)
  }),
  selectorOf: readableSelector,
}

/** An invalid selector selects nothing; the reconcile of the budget reports what is wrong with it. */
function readableSelector({ spec }: PodDisruptionBudget): Selector {
  try {
    return selectorOf(spec?.selector)
  } catch {
    // An index must not fail because of one object.
    return nothing
  }
}

/** The budgets that have a say about the pod. */
export function podBudgets(pod: Pod, read: Reader): readonly PodDisruptionBudget[] {
  return matchingSelectors(read, budgetsBySelector, pod)
}

export function podBudgetKeys(pod: Pod, read: Reader): readonly string[] {
  return podBudgets(pod, read).map(keyOf)
}

/** Reports whether a change of a pod can change a budget. Most cannot: kubelets write statuses all day. */
export function concernsBudgets(change: Change<Pod>): boolean {
  return change.type !== "updated" || !deepEqual(podFacts(change.old), podFacts(change.object))
}

function podFacts(pod: Pod): unknown {
  const { labels, deletionTimestamp } = pod.metadata
  return { ready: isPodReady(pod), isDeleted: deletionTimestamp !== undefined, labels, owner: controllerOf(pod)?.uid }
}

interface Scalable extends KubeObject {
  readonly spec?: { readonly replicas?: number; readonly template?: { readonly metadata?: { readonly labels?: Record<string, string> } } }
}

/** A workload that is scaled changes what is expected, whether or not pods follow. */
export function isRescale(change: Change<KubeObject>): boolean {
  return change.type === "updated" && (change.old as Scalable).spec?.replicas !== (change.object as Scalable).spec?.replicas
}

/** The budgets of the pods that a workload makes. */
export function templateBudgetKeys({ metadata, spec }: Scalable, read: Reader): readonly string[] {
  const labels = spec?.template?.metadata?.labels
  return podBudgetKeys({ apiVersion: "v1", kind: "Pod", metadata: { namespace: metadata.namespace, labels } }, read)
}
