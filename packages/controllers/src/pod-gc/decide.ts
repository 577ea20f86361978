import { findCondition, isPodTerminal, setCondition } from "@pilothouse/api"
import type { Pod } from "@pilothouse/api/core/v1"
import { type DecideContext, type Plan, type PlanBuilder, plan, type Result } from "@pilothouse/runtime"
import { isDeleted, isOutOfService, type Observed } from "./observe.ts"

export interface PodGcOptions {
  /** --terminated-pod-gc-threshold: the number of finished pods that stay; 0 or less keeps all. */
  readonly terminatedPodThreshold: number
}

/**
 * Deletes the pods that nothing else will: surplus terminated ones (upstream's gcTerminated), those of nodes that are out of service (gcTerminating)
 * or deleted (gcOrphaned), and unscheduled terminating ones (gcUnscheduledTerminating).
 */
export function decide(observed: Observed, { now }: DecideContext, { terminatedPodThreshold }: PodGcOptions): Plan {
  const built = plan()
  switch (observed.concern) {
    case "terminated":
      return remove(built, surplusPods(observed.pods, terminatedPodThreshold), now, () =>
        tooMany(observed.pods.length, terminatedPodThreshold),
      )
    case "out-of-service": {
      const stopping = isOutOfService(observed.node) ? observed.pods.filter(isDeleted) : []
      return remove(built, stopping, now, () => `its node ${observed.node.metadata.name} is out of service, and no kubelet will stop it`)
    }
    case "orphaned":
      return remove(built, observed.pods, now, () => `its node ${observed.node} no longer exists`, "PodGC: node no longer exists")
    case "unscheduled": {
      const going = observed.pods.filter((pod) => isDeleted(pod) && !pod.spec?.nodeName)
      return remove(built, going, now, () => "it is deleted and was never scheduled to a node that could stop it")
    }
  }
}

/** Marks a pod that still counts as running as failed first; settle deletes it after that write. */
function remove(built: PlanBuilder, pods: readonly Pod[], now: number, reason: () => string, disrupted?: string): Plan {
  const waiting = pods.filter((pod) => !(isPodTerminal(pod) && isForced(pod)))
  for (const pod of waiting) {
    if (isPodTerminal(pod)) forceDelete(built, pod, reason())
    else markFailed(built, pod, reason(), now, disrupted)
  }
  return waiting.length > 0 ? built : built.nothing("no pod has to be deleted")
}

function tooMany(count: number, threshold: number): string {
  return `${count} pods have finished, ${threshold} are kept`
}

/** Marks the pod as Failed in place of its kubelet: Jobs and quotas wait for it. The UID excludes a new pod of the same name. */
function markFailed(built: PlanBuilder, pod: Pod, reason: string, now: number, disrupted?: string): void {
  const { uid, generation } = pod.metadata
  const seen = generation === undefined ? {} : { observedGeneration: generation }
  const status = { phase: "Failed", ...seen, ...(disrupted !== undefined && { conditions: [disruption(pod, disrupted, now)] }) }
  built.patch(pod, { metadata: { uid }, status }, reason, { type: "strategic", subresource: "status" })
}

function disruption({ metadata, status }: Pod, message: string, now: number): unknown {
  const wanted = { type: "DisruptionTarget", status: "True" as const, reason: "DeletionByPodGC", message }
  const observed = metadata.generation === undefined ? wanted : { ...wanted, observedGeneration: metadata.generation }
  return findCondition(setCondition(status?.conditions, observed, now), "DisruptionTarget")
}

/** Deletes without grace: no kubelet would confirm the end of the pod. */
export function forceDelete(built: PlanBuilder, pod: Pod, reason: string): void {
  built.delete(pod, reason, { gracePeriodSeconds: 0 })
}

/** Reports whether the pod was deleted without grace already; only finalizers still hold it. */
export function isForced({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0
}

/** Deletes the pods that the plan marked as failed. */
export function settle(_observed: Observed, results: readonly Result[]): Plan {
  const built = plan()
  for (const { ok, operation } of results) {
    if (ok !== true || operation.do !== "patch") continue
    const pod = operation.object as Pod
    if (!isForced(pod)) forceDelete(built, pod, operation.reason)
  }
  return built
}

/** Returns the pods above the threshold: evicted ones first, then the oldest. */
function surplusPods(pods: readonly Pod[], threshold: number): readonly Pod[] {
  if (threshold <= 0 || pods.length <= threshold) return []
  return [...pods].sort(firstToGo).slice(0, pods.length - threshold)
}

function firstToGo(a: Pod, b: Pod): number {
  return (
    Number(isEvicted(b)) - Number(isEvicted(a)) ||
    compare(createdAt(a), createdAt(b)) ||
    compare(a.metadata.name ?? "", b.metadata.name ?? "")
  )
}

function isEvicted({ status }: Pod): boolean {
  return status?.phase === "Failed" && status.reason === "Evicted"
}

/** Timestamps of the server have one format, so that their texts sort by time. */
function createdAt({ metadata }: Pod): string {
  return metadata.creationTimestamp ?? ""
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
