import { controllerOf, isNotFound, type KubeObject, type OwnerReference, resourceNameOf, selectorOf } from "@pilothouse/api"
import { deployments, replicaSets, statefulSets } from "@pilothouse/api/apps/v1"
import { type Pod, replicationControllers } from "@pilothouse/api/core/v1"
import { type PodDisruptionBudget, podDisruptionBudgets } from "@pilothouse/api/policy/v1"
import type { Reader } from "@pilothouse/runtime"
import { messageOf, PilothouseError } from "@pilothouse/seams"
import { getScale, hasScales, parseGroupVersion } from "../scale-target/find-scale.ts"
import { selectedPods } from "../shared/selected-pods.ts"
import { podBudgets } from "./budgets.ts"

/** A PodDisruptionBudget, the pods that it selects and the scales of their controllers. */
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

/** Reads a budget, its pods and the scales of their controllers where percentages need them; undefined when it is gone. */
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

/** How many pods a controller is to have. */
interface PodScale {
  readonly uid: string
  readonly replicas: number
}

const apps = ["apps", "extensions"]

/**
 * Returns the scale of the controller of a pod: from the caches where it is a workload of Kubernetes, from its scale subresource where it is anything
 * else. Undefined when it is gone. Throws where its kind is not known or has no scales (a DaemonSet, a Job).
 */
export async function podScale(read: Reader, owner: OwnerReference, namespace: string): Promise<PodScale | undefined> {
  return cachedScale(read, owner, namespace) ?? (await liveScale(read, owner, namespace))
}

function cachedScale(read: Reader, owner: OwnerReference, namespace: string): PodScale | undefined {
  const { group } = parseGroupVersion(owner.apiVersion)
  const key = `${namespace}/${owner.name}`
  if (owner.kind === "ReplicationController" && group === "") return scaleIn(read.get(replicationControllers, key), owner)
  if (owner.kind === "StatefulSet" && group === "apps") return scaleIn(read.get(statefulSets, key), owner)
  if (owner.kind === "ReplicaSet" && apps.includes(group)) return replicaSetScale(read, owner, namespace)
  return undefined
}

/** Of its Deployment where it has one: a ReplicaSet alone says nothing in the middle of a rollout. */
function replicaSetScale(read: Reader, owner: OwnerReference, namespace: string): PodScale | undefined {
  const set = read.get(replicaSets, `${namespace}/${owner.name}`)
  if (set === undefined || set.metadata.uid !== owner.uid) return undefined
  const above = controllerOf(set)
  if (above?.kind !== "Deployment") return scaleIn(set, owner)
  if (!apps.includes(parseGroupVersion(above.apiVersion).group)) return undefined
  return scaleIn(read.get(deployments, `${namespace}/${above.name}`), above)
}

function scaleIn(found: (KubeObject & { readonly spec?: { readonly replicas?: number } }) | undefined, { uid }: OwnerReference) {
  return found?.metadata.uid === uid ? { uid, replicas: found.spec?.replicas ?? 1 } : undefined
}

async function liveScale(read: Reader, owner: OwnerReference, namespace: string): Promise<PodScale | undefined> {
  const { group, version } = parseGroupVersion(owner.apiVersion)
  const of = (await read.versionsOf(group, owner.kind)).find((known) => known.version === version)
  if (of === undefined) throw new PilothouseError("INVALID", `no matches for kind "${owner.kind}" in version "${owner.apiVersion}"`)
  if (!hasScales(of)) throw new PilothouseError("INVALID", `${resourceNameOf(of)} does not implement the scale subresource`)
  const scale = await getScale(read, of, { namespace, name: owner.name }).catch((error: unknown) => {
    if (isNotFound(error)) return undefined
    throw error
  })
  return scale?.metadata.uid === owner.uid ? { uid: owner.uid, replicas: scale.spec?.replicas ?? 0 } : undefined
}
