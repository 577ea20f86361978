import { controllerOf, selectorOf } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import { type PodDisruptionBudget, podDisruptionBudgets } from "@pilothouse/api/policy/v1"
import type { Reader } from "@pilothouse/runtime"
import { messageOf } from "@pilothouse/seams"
import { selectedPods } from "../shared/selected-pods.ts"
import { podBudgets } from "./budgets.ts"
import { type PodScale, podScale } from "./pod-scale.ts"

export interface Observed {
  readonly budget: PodDisruptionBudget
  readonly pods: readonly Pod[]
  /** Every controller of these pods once. Read only where the budget is a share of them, or of what they may lack. */
  readonly scales: readonly PodScale[]
  /** Pods that have another budget too, of which this one is the first by name. */
  readonly shared: readonly Pod[]
  /** Why the pods, or what is expected of them, cannot be known. */
  readonly failure?: { readonly reason: string; readonly message: string; readonly error: string }
}

export async function observe(key: string, read: Reader): Promise<Observed | undefined> {
  const first = read.get(podDisruptionBudgets, key)
  if (first === undefined) return undefined
  const selected = budgetPods(first, read)
  if ("error" in selected) return failed(first, "NoPods", `Failed to get pods: ${selected.error}`, selected.error)
  const pendingScales = needsScales(first) ? podScales(selected, read) : Promise.resolve([])
  const scales = await pendingScales.catch((error: unknown) => ({ error: messageOf(error) }))
  // The caches may have moved on while the server was asked.
  const budget = read.get(podDisruptionBudgets, key)
  if (budget === undefined) return undefined
  if ("error" in scales) {
    const message = `Failed to calculate the number of expected pods: ${scales.error}`
    return failed(budget, "CalculateExpectedPodCountFailed", message, scales.error)
  }
  const pods = budgetPods(budget, read)
  if ("error" in pods) return failed(budget, "NoPods", `Failed to get pods: ${pods.error}`, pods.error)
  return { budget, pods, scales, shared: sharedPods(budget, pods, read) }
}

function failed(budget: PodDisruptionBudget, reason: string, message: string, error: string): Observed {
  return { budget, pods: [], scales: [], shared: [], failure: { reason, message, error } }
}

function budgetPods({ metadata, spec }: PodDisruptionBudget, read: Reader): readonly Pod[] | { readonly error: string } {
  try {
    return selectedPods(read, metadata.namespace ?? "", selectorOf(spec?.selector))
  } catch (error) {
    return { error: messageOf(error) }
  }
}

/** A plain minAvailable speaks of the pods that are there; everything else of those that should be. */
export function needsScales({ spec }: PodDisruptionBudget): boolean {
  return spec?.maxUnavailable !== undefined || typeof spec?.minAvailable === "string"
}

async function podScales(pods: readonly Pod[], read: Reader): Promise<readonly PodScale[]> {
  const found = new Map<string, PodScale>()
  const seen = new Set<string>()
  for (const pod of pods) {
    const owner = controllerOf(pod)
    if (owner === undefined || seen.has(owner.uid)) continue
    seen.add(owner.uid)
    const scale = await podScale(read, owner, pod.metadata.namespace ?? "")
    if (scale === undefined) throw new Error(`found no controllers for pod "${pod.metadata.name}"`)
    found.set(scale.uid, scale)
  }
  return [...found.values()]
}

/** Pods with the same labels have the same budgets: these are looked up once for all of them. */
export function sharedPods(budget: PodDisruptionBudget, pods: readonly Pod[], read: Reader): readonly Pod[] {
  const known = new Map<string, boolean>()
  return pods.filter((pod) => {
    const labels = JSON.stringify(pod.metadata.labels)
    const isShared = known.get(labels) ?? isFirstOfSeveral(budget, podBudgets(pod, read))
    known.set(labels, isShared)
    return isShared
  })
}

function isFirstOfSeveral({ metadata }: PodDisruptionBudget, budgets: readonly PodDisruptionBudget[]): boolean {
  const name = metadata.name ?? ""
  return budgets.length > 1 && budgets.every((budget) => (budget.metadata.name ?? "") >= name)
}
